package guard

import (
	"net/http"
	"strings"

	"simora/server/sim"
	"simora/server/wire"
)

// SendOver answers plain HTTP beside a server that speaks HTTPS at public.
// Browsers that want a page are sent over. Calls are refused: their secrets have
// crossed the network in the clear, which a redirect would hide (ASVS 4.1.2).
func SendOver(public string) http.Handler {
	refused := sim.ErrPlainHTTP
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, service := range wire.Services {
			if strings.HasPrefix(r.URL.Path, service.Prefix) {
				service.WriteError(w, refused)
				return
			}
		}
		target := r.URL.RequestURI()
		// A target without a slash, as in "x:@evil.example", would become part of our name.
		if r.Method != http.MethodGet && r.Method != http.MethodHead || !strings.HasPrefix(target, "/") {
			http.Error(w, refused.Message, wire.Status(refused)) //nolint:forbidigo // below no service
			return
		}
		http.Redirect(w, r, public+target, http.StatusMovedPermanently) //nolint:gosec // the host is ours, the target begins with a slash
	})
}
