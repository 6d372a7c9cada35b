package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRecordStoreSettingsFitTogether(t *testing.T) {
	whole := Hooks{XAPIEndpoint: "https://lrs.example/xapi", XAPIKey: "k", XAPISecret: "s", XAPIPass: 70}
	for _, c := range []struct {
		name string
		set  func(*Hooks)
		says string
	}{
		{"whole", func(*Hooks) {}, ""},
		{"none", func(h *Hooks) { *h = Hooks{XAPIPass: 70} }, ""},
		{"no endpoint", func(h *Hooks) { h.XAPIEndpoint = "" }, "SIMORA_XAPI_ENDPOINT"},
		{"no secret", func(h *Hooks) { h.XAPISecret = "" }, "SIMORA_XAPI_SECRET"},
		{"key with a colon", func(h *Hooks) { h.XAPIKey = "a:b" }, "SIMORA_XAPI_KEY"},
		{"readable on its way", func(h *Hooks) { h.XAPIEndpoint = "http://lrs.example/xapi" }, "SIMORA_HOOKS_PRIVATE"},
		{"in a private network", func(h *Hooks) { h.XAPIEndpoint, h.HooksPrivate = "http://lrs.example/xapi", true }, ""},
		{"pass above all", func(h *Hooks) { h.XAPIPass = 101 }, "SIMORA_XAPI_PASS"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := whole
			c.set(&h)
			err := h.check()
			if c.says == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, c.says)
		})
	}
}
