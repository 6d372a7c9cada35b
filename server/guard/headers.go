package guard

import "net/http"

// DataPolicy is the content security policy of everything that is not a page:
// it may load and do nothing.
const DataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

// PagePolicy is the content security policy of a page.
func PagePolicy(https bool) string {
	policy := "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; font-src 'self'; " +
		"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; " +
		"require-trusted-types-for 'script'; trusted-types 'none'"
	if https {
		policy += "; upgrade-insecure-requests"
	}
	return policy
}

// setHeaders sets what every answer carries. Pages replace the policy by
// PagePolicy.
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
