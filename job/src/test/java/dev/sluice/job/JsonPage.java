package dev.sluice.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code docs/json.md}, which what commands print with {@code --json} is held to. */
public final class JsonPage {
    private static final Pattern MEMBER = Pattern.compile("\\| `([^`]+)` \\| ([a-z ]+) \\| .*");

    /** Objects whose names are values. */
    private static final Set<String> BY_NAME = Set.of("dead_letters", "statuses");

    private JsonPage() {}

    /**
     * Fails unless lines of JSON have the members that the page tells of a command, and of their
     * types.
     *
     * @param command as the page's headings name it
     * @param absent members that these lines have no value of
     */
    public static void assertTells(String command, String printed, String... absent)
            throws IOException {
        Map<String, Set<String>> seen = new TreeMap<>();
        List<String> lines = printed.lines().toList();
        assertFalse(lines.isEmpty(), command + " printed nothing");
        for (String line : lines) {
            members("", new ObjectMapper().readTree(line), seen);
        }
        Map<String, String> documented = documented(command);
        Set<String> expected = new TreeSet<>(documented.keySet());
        List.of(absent).forEach(expected::remove);
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

    private static Map<String, String> documented(String command) throws IOException {
        Path data = TestData.office("office.ovs").getParent().getParent();
        Path page = data.resolveSibling("docs/json.md");
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
}
