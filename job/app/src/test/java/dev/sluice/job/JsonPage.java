package dev.sluice.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code docs/json.md} and {@code docs/json-bench.md}, which what commands print with {@code
 * --json} is held to.
 */
public final class JsonPage {
    private static final List<String> PAGES = List.of("docs/json.md", "docs/json-bench.md");
    private static final Pattern MEMBER = Pattern.compile("\\| `([^`]+)` \\| ([a-z ]+) \\| (.*)");

    /** Behind the path of an object whose names are values. */
    private static final String NAMES = ".*";

    private JsonPage() {}

    /** What a page tells of a member. */
    private record Told(Set<String> types, boolean mayLack) {}

    /**
     * Fails unless lines of JSON have the members that the pages tell of a command, and of their
     * types. A member whose meaning begins with 'with' or 'where' may lack.
     *
     * @param command as the pages' headings name it
     * @param absent other members that these lines have no value of, or what these are members of
     */
    public static void assertTells(String command, String printed, String... absent)
            throws IOException {
        Map<String, Told> told = told(command);
        Map<String, Set<String>> seen = new TreeMap<>();
        List<String> lines = printed.lines().toList();
        assertFalse(lines.isEmpty(), command + " printed nothing");
        for (String line : lines) {
            members("", new ObjectMapper().readTree(line), told, seen);
        }
        Set<String> expected = new TreeSet<>(told.keySet());
        expected.removeIf(path -> told.get(path).mayLack || isOf(path, List.of(absent)));
        expected.addAll(told.keySet().stream().filter(seen::containsKey).toList());
        assertEquals(expected, seen.keySet(), command);
        List<String> wrong = new ArrayList<>();
        seen.forEach(
                (path, types) -> {
                    Set<String> allowed = told.get(path).types;
                    if (!allowed.containsAll(types)) {
                        wrong.add(path + " is " + types + " and documented as " + allowed);
                    }
                });
        assertEquals(List.of(), wrong, command);
    }

    /** The commands that have a section, as the headings name them. */
    public static Set<String> commands() throws IOException {
        Set<String> commands = new TreeSet<>();
        for (String page : PAGES) {
            for (String line : lines(page)) {
                if (line.startsWith("## ")) {
                    commands.addAll(List.of(line.substring(3).split(", ")));
                }
            }
        }
        return commands;
    }

    private static boolean isOf(String path, List<String> absent) {
        return absent.stream()
                .anyMatch(
                        what ->
                                path.equals(what)
                                        || path.startsWith(what + ".")
                                        || path.startsWith(what + "[]"));
    }

    private static List<String> lines(String page) throws IOException {
        Path data = TestData.office("office.ovs").getParent().getParent();
        return Files.readAllLines(data.resolveSibling(page));
    }

    private static Map<String, Told> told(String command) throws IOException {
        Map<String, Told> members = new LinkedHashMap<>();
        for (String page : PAGES) {
            boolean within = false;
            for (String line : lines(page)) {
                if (line.startsWith("## ")) {
                    within = List.of(line.substring(3).split(", ")).contains(command);
                }
                Matcher member = MEMBER.matcher(line);
                if (within && member.matches()) {
                    String meaning = member.group(3);
                    Told told =
                            new Told(
                                    Set.of(member.group(2).split(" or ")),
                                    meaning.startsWith("with ") || meaning.startsWith("where "));
                    paths(member.group(1)).forEach(path -> members.put(path, told));
                }
            }
        }
        assertFalse(members.isEmpty(), "no page tells anything of " + command);
        return members;
    }

    /** What a path with {@code {a,b}} in it stands for. */
    private static List<String> paths(String path) {
        int open = path.indexOf('{');
        if (open < 0) {
            return List.of(path);
        }
        int close = path.indexOf('}', open);
        List<String> all = new ArrayList<>();
        for (String each : path.substring(open + 1, close).split(",", -1)) {
            all.addAll(paths(path.substring(0, open) + each + path.substring(close + 1)));
        }
        return all;
    }

    /** The members of a value: path, as it is told, and types. */
    private static void members(
            String path, JsonNode value, Map<String, Told> told, Map<String, Set<String>> into) {
        if (value.isObject()) {
            boolean names = told.containsKey(path + NAMES);
            value.properties()
                    .forEach(
                            entry ->
                                    members(
                                            (path.isEmpty() ? "" : path + ".")
                                                    + (names ? "*" : entry.getKey()),
                                            entry.getValue(),
                                            told,
                                            into));
        } else if (value.isArray()) {
            value.forEach(each -> members(path + "[]", each, told, into));
        } else {
            into.computeIfAbsent(asTold(path, told), p -> new TreeSet<>()).add(type(value));
        }
    }

    /** A path, or that with {@code *} in its last name that stands for it. */
    private static String asTold(String path, Map<String, Told> told) {
        return told.keySet().stream()
                .filter(each -> each.endsWith("*") && !each.endsWith(NAMES))
                .filter(each -> path.startsWith(each.substring(0, each.length() - 1)))
                .findFirst()
                .orElse(path);
    }

    private static String type(JsonNode value) {
        return switch (value.getNodeType()) {
            case STRING -> "text";
            case BOOLEAN -> "boolean";
            case NULL -> "null";
            case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
            default -> throw new AssertionError(value + " is of no type that the pages know");
        };
    }
}
