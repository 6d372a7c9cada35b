package config

import "errors"

// DKIM are the settings of the signature under mail. Without a key there is
// none.
type DKIM struct {
	DKIMDomain   string `name:"dkim-domain" env:"SIMORA_DKIM_DOMAIN" placeholder:"NAME" help:"Sign mail for this domain, the one of SIMORA_MAIL_FROM."`
	DKIMSelector string `name:"dkim-selector" env:"SIMORA_DKIM_SELECTOR" placeholder:"NAME" help:"Where the key is published: NAME._domainkey.<domain>."`
	DKIMKeyFile  string `name:"dkim-key-file" env:"SIMORA_DKIM_KEY_FILE" type:"existingfile" placeholder:"FILE" help:"Private key (PEM, RSA or Ed25519). simora mail check prints the records to publish."`
}

// Signed reports whether mail is to be signed.
func (d DKIM) Signed() bool { return d.DKIMKeyFile != "" }

func (d DKIM) check() error {
	if d.Signed() != (d.DKIMDomain != "") || d.Signed() != (d.DKIMSelector != "") {
		return errors.New("SIMORA_DKIM_DOMAIN, SIMORA_DKIM_SELECTOR and SIMORA_DKIM_KEY_FILE belong together: found only some of them")
	}
	return nil
}
