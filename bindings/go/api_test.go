// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	besides    = regexp.MustCompile(`(?s)/\*.*?\*/|OCT_API|OCT_MUST_USE|extern "C" \{`)
	statement  = regexp.MustCompile(`#[^\n]*|[^;{}#]*(\{[^}]*\})?\s*;`)
	enumerator = regexp.MustCompile(`OCT_OP_\w+ = \d+`)
)

// statements are those of a header, structs as a whole, each on one line.
func statements(path string) []string {
	var all []string
	text := besides.ReplaceAllString(string(must(os.ReadFile(path))), " ")
	for _, found := range statement.FindAllString(text, -1) {
		all = append(all, strings.Join(strings.Fields(found), " "))
	}
	return all
}

// What api.h declares stands in the public headers, word for word; of the operations it has some.
func TestDeclarationsAreThoseOfTheHeaders(t *testing.T) {
	public := map[string]bool{}
	for _, header := range must(filepath.Glob("../../include/octuple/*.h")) {
		for _, found := range statements(header) {
			public[found] = true
			for _, operation := range enumerator.FindAllString(found, -1) {
				public[operation] = true
			}
		}
	}
	checked := 0
	for _, own := range statements("api.h") {
		parts := []string{own}
		if strings.HasPrefix(own, "enum oct_op ") {
			parts = enumerator.FindAllString(own, -1)
		} else if strings.HasPrefix(own, "#") && !strings.HasPrefix(own, "#define OCT_") {
			continue
		}
		for _, part := range parts {
			checked++
			if !public[part] {
				t.Errorf("is not in the headers: %s", part)
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d declarations were read", checked)
	}
}
