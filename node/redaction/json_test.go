package redaction

import (
	"strings"
	"testing"
)

func TestNoSecretOfADocumentIsLeft(t *testing.T) {
	out, err := JSON([]byte(`{"embedders":{"a":{"apiKey":"S1","headers":{"X-Any":"S2"},"url":"https://me:S3@host/embed?key=S4","request":{"inner":[{"access_token":"S5"}]}}},
		"keys":[{"key":"S6","uid":"kept-uid","name":"kept name"}],"webhooks":[{"headers":{"Authorization":"Bearer S7"}}],"searchApiKey":"S8","maxTokens":20,"primaryKey":"kept_id",
		"error":{"message":"Document has no id: ` + "`{\\\"title\\\":\\\"S9\\\"}`" + `, really"},"details":{"context":{"by":"S10"},"function":"doc.x = \"S11\""},"total":12345678901234567890}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "S11"} {
		if strings.Contains(string(out), secret) {
			t.Errorf("%s is left", secret)
		}
	}
	for _, kept := range []string{"kept-uid", "kept name", "kept_id", `"maxTokens": 20`, "https://hidden@host/embed", "Document has no id", "really", "12345678901234567890"} {
		if !strings.Contains(string(out), kept) {
			t.Errorf("%s is gone", kept)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
	if _, err := JSON([]byte("no JSON")); err == nil {
		t.Error("text passes as JSON")
	}
}

func TestKnownSecretsAreTakenOutOfText(t *testing.T) {
	if got := string(Text([]byte("a line with hunter22, and hunter22"), []string{"hunter22", "a", ""})); got != "a line with [hidden], and [hidden]" {
		t.Error(got)
	}
}
