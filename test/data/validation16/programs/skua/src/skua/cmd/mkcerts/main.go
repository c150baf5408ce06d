// An authority, a certificate, and one that is no longer valid.   mkcerts FOLDER
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"time"
)

func put(path, kind string, b []byte) {
	os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600)
}

func main() {
	dir := os.Args[1]
	os.MkdirAll(dir, 0o755)
	now := time.Now()
	ck, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "skua cluster CA"}, NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(9, 0, 0), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	b, _ := x509.CreateCertificate(rand.Reader, ca, ca, &ck.PublicKey, ck)
	put(dir+"/ca.crt", "CERTIFICATE", b)
	for k, name := range []string{"good", "old"} {
		key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		t := &x509.Certificate{SerialNumber: big.NewInt(int64(40 + k)), Subject: pkix.Name{CommonName: "trainer"}, DNSNames: []string{"coordinator"}, NotBefore: now.AddDate(0, -6, 0), NotAfter: now.AddDate(0, 6, 0), KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
		if name == "old" {
			t.NotAfter = now.AddDate(0, 0, -3)
		}
		b, _ := x509.CreateCertificate(rand.Reader, t, ca, &key.PublicKey, ck)
		kb, _ := x509.MarshalECPrivateKey(key)
		put(dir+"/"+name+".crt", "CERTIFICATE", b)
		put(dir+"/"+name+".key", "EC PRIVATE KEY", kb)
	}
}
