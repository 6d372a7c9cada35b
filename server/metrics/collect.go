package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"simora/server/health"
	"simora/server/sim"
)

// checks collects the last health report.
type checks struct{ report func() health.Report }

// Describe sends nothing: which series there are depends on the report.
func (checks) Describe(chan<- *prometheus.Desc) {}

// Collect sends a 1 for the state of each check, a 0 for the others.
func (c checks) Collect(out chan<- prometheus.Metric) {
	r := c.report()
	gauge := func(name, help string, value float64) {
		out <- prometheus.MustNewConstMetric(describe(name, help), prometheus.GaugeValue, value)
	}
	state := describe("simora_check_state", "1 for the state that a part was found in last.", "check", "state")
	for _, check := range r.Checks {
		for _, s := range health.States {
			value := 0.0
			if s == check.State {
				value = 1
			}
			out <- prometheus.MustNewConstMetric(state, prometheus.GaugeValue, value, check.Name, string(s))
		}
	}
	if r.Outbox == nil {
		return
	}
	gauge("simora_outbox_queued_letters", "Letters waiting to be handed over, of all instances.", float64(r.Outbox.Queued))
	gauge("simora_outbox_failed_letters", "Letters given up that can still be tried again, of all instances.", float64(r.Outbox.Failed))
	age := 0.0
	if r.Outbox.Oldest != nil {
		age = max(0, r.Now.Sub(*r.Outbox.Oldest).Seconds())
	}
	gauge("simora_outbox_oldest_queued_age_seconds", "Age of the oldest letter waiting; 0 when none is.", age)
}

// model collects the language model's status.
type model struct{ status func() sim.ModelStatus }

var (
	modelAvailable = describe("simora_model_available", "1 while the language model is asked, 0 while its breaker is open or its budget used up.")
	modelUsed      = describe("simora_model_used_today", "What the language model was used for since midnight UTC.", "unit")
	modelBudget    = describe("simora_model_budget_per_day", "What the language model may be used for a day.", "unit")
)

// Describe names the series.
func (model) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{modelAvailable, modelUsed, modelBudget} {
		out <- d
	}
}

// Collect sends them.
func (m model) Collect(out chan<- prometheus.Metric) {
	s := m.status()
	available := 0.0
	if s.Available {
		available = 1
	}
	out <- prometheus.MustNewConstMetric(modelAvailable, prometheus.GaugeValue, available)
	for _, row := range []struct {
		unit         string
		used, budget int
	}{{"calls", s.CallsToday, s.CallLimit}, {"tokens", s.TokensToday, s.TokenLimit}} {
		out <- prometheus.MustNewConstMetric(modelUsed, prometheus.GaugeValue, float64(row.used), row.unit)
		out <- prometheus.MustNewConstMetric(modelBudget, prometheus.GaugeValue, float64(row.budget), row.unit)
	}
}
