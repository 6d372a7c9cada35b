package sim

import (
	"context"
	"slices"
	"time"
)

// Action is one kind of event that leaves an entry in the audit log.
type Action string

// The catalogue. Names are stored: they may be added, not changed.
const (
	SignedIn          Action = "auth.signed_in"
	SignInFailed      Action = "auth.sign_in_failed"
	SignedOut         Action = "auth.signed_out"
	TokenReused       Action = "auth.token_reused" //nolint:gosec // a name, no secret
	SecondFactorOn    Action = "auth.second_factor_on"
	SecondFactorOff   Action = "auth.second_factor_off"
	RecoveryCodesMade Action = "auth.recovery_codes_made"
	RecoveryCodeUsed  Action = "auth.recovery_code_used"

	UserCreated     Action = "user.created"
	UserDeleted     Action = "user.deleted"
	PasswordChanged Action = "user.password_changed"
	RoleChanged     Action = "user.role_changed"

	SessionsListed   Action = "sessions.listed"
	SessionViewed    Action = "sessions.viewed"
	SessionsExported Action = "sessions.exported"

	ContactViewed   Action = "contact.viewed"
	ContactExported Action = "contact.exported"
	ContactAnswered Action = "contact.answered"

	ScenarioCreated Action = "scenario.created"
	ScenarioUpdated Action = "scenario.updated"
	ScenarioDeleted Action = "scenario.deleted"

	MediaUploaded  Action = "media.uploaded"
	MediaPublished Action = "media.published"
	MediaCaptioned Action = "media.captioned"
	MediaArranged  Action = "media.arranged"
	MediaWithdrawn Action = "media.withdrawn"
	MediaDeleted   Action = "media.deleted"
	PersonExported Action = "person.exported"
	PersonErased   Action = "person.erased"
	RetentionRun   Action = "retention.run"
	KeyRotated     Action = "key.rotated"
	KeyDestroyed   Action = "key.destroyed"
	BackupMade     Action = "backup.made"
	BackupRestored Action = "backup.restored"
	WebhookCreated Action = "webhook.created"
	WebhookChanged Action = "webhook.changed"
	WebhookDeleted Action = "webhook.deleted"
	ServerStarted  Action = "server.started"
	ServerStopped  Action = "server.stopped"

	AuditViewed   Action = "audit.viewed"
	AuditExported Action = "audit.exported"
	AuditVerified Action = "audit.verified"
	AuditCut      Action = "audit.cut"
)

// Actions are all of the catalogue, in the order in which a list offers them.
func Actions() []Action {
	return []Action{
		SignedIn, SignInFailed, SignedOut, TokenReused, SecondFactorOn, SecondFactorOff, RecoveryCodesMade, RecoveryCodeUsed,
		UserCreated, UserDeleted, PasswordChanged, RoleChanged,
		SessionsListed, SessionViewed, SessionsExported, ContactViewed, ContactExported, ContactAnswered,
		ScenarioCreated, ScenarioUpdated, ScenarioDeleted,
		MediaUploaded, MediaPublished, MediaCaptioned, MediaArranged, MediaWithdrawn, MediaDeleted,
		PersonExported, PersonErased, RetentionRun, KeyRotated, KeyDestroyed, BackupMade, BackupRestored,
		WebhookCreated, WebhookChanged, WebhookDeleted, ServerStarted, ServerStopped,
		AuditViewed, AuditExported, AuditVerified, AuditCut,
	}
}

// Known reports whether a is in the catalogue.
func (a Action) Known() bool { return slices.Contains(Actions(), a) }

// Result says how an audited event went.
type Result string

// The results.
const (
	Done    Result = "done"
	Refused Result = "refused"
	Failed  Result = "failed"
)

// Event is something that has to be in the audit log. Its time and its actor
// are added when it is written.
type Event struct {
	Action Action
	Object string // what it is about, such as "session <id>"; it is not sealed, so nothing personal
	Result Result // empty: Done

	// Detail is sealed. Personal data belongs here and nowhere else.
	Detail map[string]string
	// Person is the mail address of whom the detail is about. When that person
	// is erased, so is the detail, and the chain stays whole.
	Person string
}

// ActorKind says what sort of actor it was.
type ActorKind string

// The kinds of actors.
const (
	BySystem  ActorKind = "system"  // the server by itself
	ByCommand ActorKind = "command" // somebody at the server's command line
	ByUser    ActorKind = "user"    // somebody who is signed in
	ByVisitor ActorKind = "visitor" // somebody who is not
)

// Actor is who does something. The zero Actor is the system.
type Actor struct {
	Kind    ActorKind
	ID      string // of the user; empty otherwise
	Address string // IP address; sealed in the log
}

type actorKey struct{}

// WithActor returns ctx with who acts in it.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorIn returns who acts in ctx; the system, when nobody was put in.
func ActorIn(ctx context.Context) Actor {
	a, ok := ctx.Value(actorKey{}).(Actor)
	if !ok {
		return Actor{Kind: BySystem}
	}
	return a
}

// Entry is an event as the audit log has it.
type Entry struct {
	Seq    int64
	At     time.Time
	Actor  Actor
	Event         // Person is empty
	Erased bool   // the detail is gone together with the person it was about
	Email  string // of the actor, if it is a user who still exists
}
