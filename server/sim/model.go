package sim

// ModelStatus is what an admin may know about the language model.
type ModelStatus struct {
	Model       string `json:"model"`
	Available   bool   `json:"available"` // false while it is not asked
	Reason      string `json:"reason,omitempty"`
	CallsToday  int    `json:"callsToday"`
	CallLimit   int    `json:"callLimit"`
	TokensToday int    `json:"tokensToday"`
	TokenLimit  int    `json:"tokenLimit"`
}
