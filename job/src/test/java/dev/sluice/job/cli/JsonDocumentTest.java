package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docs/json.md} and what commands print with {@code --json}, held to each other. */
class JsonDocumentTest {
    private static final Pattern MEMBER = Pattern.compile("\\| `([^`]+)` \\| ([a-z ]+) \\| .*");
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final Path RULES = TestData.office("office.ovs");

    /** Objects whose names are values. */
    private static final Set<String> BY_NAME = Set.of("dead_letters", "statuses");

    @TempDir Path folder;

    private static Map<String, String> documented(String command) throws IOException {
        Path page = RULES.getParent().getParent().getParent().resolve("docs/json.md");
        Map<String, String> members = new HashMap<>();
        boolean within = false;
        for (String line : Files.readAllLines(page)) {
            if (line.startsWith("## ")) {
                within = List.of(line.substring(3).split(", ")).contains(command);
            }
            Matcher member = MEMBER.matcher(line);
            if (within && member.matches()) {
                members.put(member.group(1), member.group(2));
            }
        }
        assertFalse(members.isEmpty(), "docs/json.md tells nothing of " + command);
        return members;
    }

    /** The members of a value: path and types. */
    private static void members(String path, JsonNode value, Map<String, Set<String>> into) {
        if (value.isObject()) {
            boolean names = BY_NAME.contains(path);
            value.properties()
                    .forEach(
                            entry ->
                                    members(
                                            (path.isEmpty() ? "" : path + ".")
                                                    + (names ? "*" : entry.getKey()),
                                            entry.getValue(),
                                            into));
        } else if (value.isArray()) {
            value.forEach(each -> members(path + "[]", each, into));
        } else {
            into.computeIfAbsent(path, p -> new TreeSet<>()).add(type(value));
        }
    }

    private static String type(JsonNode value) {
        return switch (value.getNodeType()) {
            case STRING -> "text";
            case BOOLEAN -> "boolean";
            case NULL -> "null";
            case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
            default -> throw new AssertionError(value + " is of no type that the page knows");
        };
    }

    /**
     * Runs a command and compares.
     *
     * @param absent members that this run has no value of
     */
    private static void assertDocumented(
            String command, int status, Set<String> absent, Object... words) throws IOException {
        Sluice run = Sluice.run(words);
        assertEquals(status, run.status(), run.err());
        Map<String, Set<String>> seen = new TreeMap<>();
        List<String> lines = run.out().lines().toList();
        assertFalse(lines.isEmpty(), run.err());
        for (String line : lines) {
            members("", new ObjectMapper().readTree(line), seen);
        }
        Map<String, String> documented = documented(command);
        Set<String> expected = new TreeSet<>(documented.keySet());
        expected.removeAll(absent);
        assertEquals(expected, seen.keySet(), command);
        List<String> wrong = new ArrayList<>();
        seen.forEach(
                (path, types) -> {
                    Set<String> allowed = Set.of(documented.get(path).split(" or "));
                    if (!allowed.containsAll(types)) {
                        wrong.add(path + " is " + types + " and documented as " + allowed);
                    }
                });
        assertEquals(List.of(), wrong, command);
    }

    @Test
    void whatCommandsPrintIsWhatThePageTells() throws IOException {
        Path cut = folder.resolve("cut.pcapng.gz");
        byte[] whole = Files.readAllBytes(CAPTURE);
        Files.write(cut, Arrays.copyOf(whole, whole.length / 2));
        assertDocumented(
                "classify",
                1,
                Set.of("refused_versions[]", "dead_letters.*"),
                "classify",
                CAPTURE,
                cut,
                "--rules",
                RULES,
                "--json");
        Path out = folder.resolve("out.pcapng");
        assertDocumented(
                "filter",
                0,
                Set.of(),
                "filter",
                CAPTURE,
                "--rules",
                RULES,
                "--action",
                "drop",
                "-w",
                out,
                "--json");
        assertDocumented("headers", 1, Set.of(), "headers", CAPTURE, cut, "--count", "--json");
        assertDocumented(
                "rules hits", 0, Set.of(), "rules", "hits", CAPTURE, "--rules", RULES, "--json");
        assertDocumented("schemas", 0, Set.of(), "schemas", "--json");
        assertDocumented(
                "rules generate",
                0,
                Set.of(),
                "rules",
                "generate",
                "--shape",
                "zones",
                "--count",
                50,
                "--out",
                folder.resolve("r"),
                "--trace",
                folder.resolve("t"),
                "--headers",
                100,
                "--expect",
                folder.resolve("e"),
                "--json");
    }

    @Test
    void jsonGoesWhereThereAreFigures() {
        Sluice lines = Sluice.run("headers", CAPTURE, "--json");
        assertEquals(2, lines.status(), lines.err());
        assertTrue(lines.err().contains("--json goes with --count"), lines.err());
        Sluice endless = Sluice.run("run", "--bootstrap", "localhost:1", "--json");
        assertEquals(2, endless.status(), endless.err());
        assertTrue(endless.err().contains("say --bounded"), endless.err());
    }
}
