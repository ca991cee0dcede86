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
	besides   = regexp.MustCompile(`(?s)/\*.*?\*/|OCT_API|OCT_MUST_USE|extern "C" \{`)
	statement = regexp.MustCompile(`#[^\n]*|[^;{}#]*(\{[^}]*\})?\s*;`)
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

// What api.h declares stands in the public headers, word for word.
func TestDeclarationsAreThoseOfTheHeaders(t *testing.T) {
	public := map[string]bool{}
	for _, header := range must(filepath.Glob("../../include/octuple/*.h")) {
		for _, found := range statements(header) {
			public[found] = true
		}
	}
	checked := 0
	for _, own := range statements("api.h") {
		if strings.HasPrefix(own, "#") {
			continue
		}
		checked++
		if !public[own] {
			t.Errorf("is not in the headers: %s", own)
		}
	}
	if checked < 10 {
		t.Errorf("only %d declarations were read", checked)
	}
}
