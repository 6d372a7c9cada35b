const ACTIONS: Record<string, string> = {
  "auth.signed_in": "Signed in",
  "auth.sign_in_failed": "Sign-in failed",
  "auth.signed_out": "Signed out",
  "auth.token_reused": "Used an old token again",
  "auth.second_factor_on": "Second factor switched on",
  "auth.second_factor_off": "Second factor switched off",
  "auth.recovery_codes_made": "Recovery codes made",
  "auth.recovery_code_used": "Recovery code used",
  "user.created": "User created",
  "user.deleted": "User deleted",
  "user.password_changed": "Password changed",
  "user.role_changed": "Role changed",
  "sessions.listed": "Sessions listed",
  "sessions.viewed": "Session viewed",
  "sessions.exported": "Sessions exported",
  "contact.viewed": "Contact messages viewed",
  "contact.exported": "Contact messages exported",
  "contact.answered": "Contact message marked",
  "scenario.created": "Scenario created",
  "scenario.updated": "Scenario changed",
  "scenario.deleted": "Scenario deleted",
  "media.uploaded": "File uploaded",
  "media.published": "Media published",
  "media.captioned": "Caption changed",
  "media.arranged": "Gallery arranged",
  "media.withdrawn": "Media taken off the page",
  "media.deleted": "File deleted",
  "person.exported": "Person's data exported",
  "person.erased": "Person erased",
  "retention.run": "Deleted by retention",
  "key.rotated": "Key rotated",
  "key.destroyed": "Key destroyed",
  "backup.made": "Backup made",
  "backup.restored": "Backup restored",
  "webhook.created": "Webhook created",
  "webhook.changed": "Webhook changed",
  "webhook.deleted": "Webhook deleted",
  "server.started": "Server started",
  "server.stopped": "Server stopped",
  "audit.viewed": "Audit log viewed",
  "audit.exported": "Audit log exported",
  "audit.verified": "Audit log verified",
  "audit.cut": "Old entries removed",
};

const ACTORS: Record<string, string> = {
  system: "The server",
  command: "Command line",
  visitor: "Somebody not signed in",
};

export const actionName = (action: string) => ACTIONS[action] ?? action;

/** Who did it, as an admin reads it; a user who is gone is known by their id. */
export const actorName = (kind: string, email: string, id: string) => ACTORS[kind] ?? (email || id);

export const ACTOR_KINDS = Object.entries(ACTORS).map(([kind, name]) => ({ kind, name }));
