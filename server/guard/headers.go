package guard

import "net/http"

// DataPolicy is the content security policy of everything that is not a page:
// it may load and do nothing.
const DataPolicy = "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox"

// setHeaders sets what every answer carries. Pages bring a policy of
// their own.
func setHeaders(h http.Header, https bool) {
	h.Set("Content-Security-Policy", DataPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	h.Set("Permissions-Policy", "accelerometer=(), autoplay=(), camera=(), display-capture=(), fullscreen=(self), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()")
	if https {
		h.Set("Strict-Transport-Security", "max-age=63072000; includeSubDomains")
	}
}
