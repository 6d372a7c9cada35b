package sim

// Role says who wrote a message.
type Role string

// The two roles.
const (
	User      Role = "user"      // the learner
	Assistant Role = "assistant" // the virtual human, and the opening message
)

// EngineName says which engine answered a turn or judged a run.
type EngineName string

// The engines.
const (
	BuiltIn EngineName = "built-in"
	General EngineName = "built-in-general" // a scenario without a package
	Model   EngineName = "model"
)

// Message is one line of a transcript.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
}

// Conversation is all that an engine gets to see of a session. The same
// scenario, seed and messages always give the same answer.
type Conversation struct {
	Scenario Scenario
	Seed     uint64
	MaxTurns int
	Messages []Message // starts with the opening message
	Ended    bool      // the scenario came to its own end before the limit
	Address  string    // where the learner asks from, for budgets alone: it changes no answer, and goes nowhere
}

// LearnerTurns is the number of learner messages so far.
func (c Conversation) LearnerTurns() int {
	n := 0
	for _, m := range c.Messages {
		if m.Role == User {
			n++
		}
	}
	return n
}

// Opening is how a run begins.
type Opening struct {
	Message   string
	Character Character
	Demeanour Demeanour
}

// Reply is the virtual human's answer to the last learner message.
type Reply struct {
	Text      string
	Demeanour Demeanour
	Ended     bool // the situation is resolved or lost; no further turn is taken
	Engine    EngineName
}
