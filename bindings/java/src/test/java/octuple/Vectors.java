// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.ArrayList;

/** The files of tests/library/vectors; their README has the form. */
record Vectors(String kind, List<Fields> cases) {
    private static final Path FOLDER = Path.of(System.getProperty("octuple.vectors", "../../tests/library/vectors"));

    /** A case with the fields of its group and key. */
    record Fields(Map<String, String> values) {
        String text(String name) {
            return values.getOrDefault(name, "");
        }

        byte[] bytes(String name) {
            return HexFormat.of().parseHex(text(name));
        }

        BigInteger number(String name) {
            return new BigInteger(1, bytes2(text(name)));
        }

        private static byte[] bytes2(String hex) {
            return HexFormat.of().parseHex(hex.length() % 2 == 0 ? hex : "0" + hex);
        }
    }

    static List<Path> files() throws java.io.IOException {
        try (var all = Files.list(FOLDER)) {
            return all.filter(path -> path.toString().endsWith(".txt")).sorted().toList();
        }
    }

    static Vectors read(Path file) throws java.io.IOException {
        Map<String, Map<String, String>> keys = new HashMap<>();
        Map<String, String> group = Map.of();
        List<Fields> cases = new ArrayList<>();
        String kind = "";
        for (String line : Files.readAllLines(file)) {
            String[] words = line.split(" ");
            Map<String, String> record = new HashMap<>();
            for (int i = 1; i < words.length && !line.startsWith("#"); i++) {
                int equals = words[i].indexOf('=');
                record.put(words[i].substring(0, equals), words[i].substring(equals + 1));
            }
            switch (words[0]) {
                case "file" -> kind = record.get("kind");
                case "key" -> keys.put(record.get("id"), record);
                case "group" -> group = record;
                case "case" -> {
                    Map<String, String> all = new HashMap<>(keys.getOrDefault(group.get("key"), Map.of()));
                    all.putAll(group);
                    all.putAll(record);
                    cases.add(new Fields(all));
                }
                default -> { }
            }
        }
        return new Vectors(kind, cases);
    }
}
