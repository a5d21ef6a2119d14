package dev.sluice.engine.testing;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Stories as plain text, a line a thing; '#' begins a comment.
 *
 * <pre>
 * story   = "story" NAME ["seed" NUMBER] { line }
 * line    = rule | "update" | "remove" ID | header
 * rule    = "rule" ID "priority" NUMBER ["action" WORD] { field }
 * header  = "header" { field } ["->" (ID | "none")]
 * field   = NAME "=" VALUE ["/" MASK]    a {@link StoryFields} field: nw_src=10.0.0.0/8
 *         | "tp_src=" PORT "-" PORT      an inclusive range, in rules; also tp_dst
 * </pre>
 *
 * <p>Rules before the first "update" are there at first, in order of age. Each "update" begins a
 * delta: what it removes, and the rules that it inserts. Headers, wherever they stand, are asked at
 * first and after every update; behind "->" stands the rule that a header must match after the last
 * one. What a header does not name is 0.
 */
public final class StoryFile {
    private static final String PROPERTY = "sluice.test.story";

    /** Seen from any module. */
    private static final Path FOLDER = TestData.inCheckout("gpu-udf/src/test/resources/stories");

    private StoryFile() {}

    /**
     * The stories that are kept for good, or the one file that {@code ./sluice test --story} names
     * in their place. Tests that run them have the tag {@code story}.
     */
    public static List<Path> kept() throws IOException {
        if (isNamed()) {
            return List.of(Path.of(System.getProperty(PROPERTY)));
        }
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(f -> f.toString().endsWith(".story")).sorted().toList();
        }
    }

    /** Whether {@code ./sluice test --story} names a file. */
    public static boolean isNamed() {
        return !System.getProperty(PROPERTY, "").isBlank();
    }

    /**
     * Reads a story.
     *
     * @throws IllegalArgumentException naming file, line and what is wrong with it
     */
    public static RuleStory read(Path file) throws IOException {
        return parse(file.getFileName().toString(), Files.readAllLines(file));
    }

    /** Writes a story; {@code notes} become comments at its beginning. */
    public static void write(Path file, RuleStory story, String notes) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, text(story, notes));
    }

    /** The story of some lines. */
    static RuleStory parse(String place, List<String> lines) {
        Reader reader = new Reader(place);
        for (int i = 0; i < lines.size(); i++) {
            try {
                reader.line(lines.get(i));
            } catch (RuntimeException e) {
                throw new IllegalArgumentException(
                        place + ":" + (i + 1) + ": " + e.getMessage(), e);
            }
        }
        return reader.story();
    }

    /**
     * A rule of a story's line.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    public static Rule rule(String line) {
        return Reader.rule(line.strip().split("\\s+"));
    }

    /**
     * A header of a story's line.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    public static int[] header(String line) {
        Reader reader = new Reader("");
        reader.line(line);
        return reader.headers.get(0);
    }

    private static final class Reader {
        private String name;
        private long seed;
        private final List<Rule> rules = new ArrayList<>();
        private final List<RuleDelta> updates = new ArrayList<>();
        private final List<int[]> headers = new ArrayList<>();
        private final Map<Integer, Long> stated = new HashMap<>();
        private List<Long> removes;
        private List<Rule> inserts;

        Reader(String place) {
            name = place;
        }

        void line(String text) {
            int comment = text.indexOf('#');
            String[] words =
                    (comment < 0 ? text : text.substring(0, comment)).strip().split("\\s+");
            switch (words[0]) {
                case "" -> {}
                case "story" -> {
                    name = words[1];
                    seed = words.length > 3 ? Long.parseLong(words[3]) : 0;
                }
                case "rule" -> (inserts == null ? rules : inserts).add(rule(words));
                case "update" -> {
                    endUpdate();
                    removes = new ArrayList<>();
                    inserts = new ArrayList<>();
                }
                case "remove" -> {
                    if (removes == null) {
                        throw new IllegalArgumentException("'remove' before the first 'update'");
                    }
                    removes.add(Long.parseLong(words[1]));
                }
                case "header" -> header(words);
                default ->
                        throw new IllegalArgumentException(
                                "'%s' is none of story, rule, update, remove, header"
                                        .formatted(words[0]));
            }
        }

        private static Rule rule(String[] words) {
            if (words.length < 4 || !words[2].equals("priority")) {
                throw new IllegalArgumentException("a rule begins: rule ID priority NUMBER");
            }
            Match.Builder match = new Match.Builder();
            String action = "a";
            int at = 4;
            if (words.length > 5 && words[4].equals("action")) {
                action = words[5];
                at = 6;
            }
            for (; at < words.length; at++) {
                StoryFields.constrain(match, words[at]);
            }
            return new Rule(
                    Long.parseLong(words[1]), Integer.parseInt(words[3]), match.build(), action, 0);
        }

        private void header(String[] words) {
            int[] header = new int[HeaderWord.COUNT];
            int at = 1;
            while (at < words.length && !words[at].equals("->")) {
                StoryFields.set(header, words[at++]);
            }
            if (at + 1 < words.length) {
                String answer = words[at + 1];
                stated.put(
                        headers.size(),
                        answer.equals("none") ? RuleStory.NO_RULE : Long.parseLong(answer));
            }
            headers.add(header);
        }

        private void endUpdate() {
            if (inserts != null) {
                updates.add(new RuleDelta(removes, inserts));
            }
        }

        RuleStory story() {
            endUpdate();
            return new RuleStory(name, seed, rules, updates, headers, stated);
        }
    }

    /** A story as text. */
    static String text(RuleStory story, String notes) {
        StringBuilder out = new StringBuilder();
        notes.lines().forEach(line -> out.append("# ").append(line).append('\n'));
        out.append("story ").append(story.name().replaceAll("\\s+", "-"));
        out.append(" seed ").append(story.seed()).append('\n');
        story.rules().forEach(rule -> append(out, rule));
        for (RuleDelta delta : story.updates()) {
            out.append("update\n");
            delta.removes().forEach(id -> out.append("remove ").append(id).append('\n'));
            delta.inserts().forEach(rule -> append(out, rule));
        }
        for (int i = 0; i < story.headers().size(); i++) {
            out.append(headerText(story.headers().get(i)));
            Long answer = story.stated().get(i);
            if (answer != null) {
                out.append(" -> ").append(answer == RuleStory.NO_RULE ? "none" : answer);
            }
            out.append('\n');
        }
        return out.toString();
    }

    /** A header as a line. */
    public static String headerText(int[] header) {
        StringBuilder out = new StringBuilder("header");
        StoryFields.of(header).forEach(field -> out.append(' ').append(field));
        return out.toString();
    }

    /** A rule as a line. */
    public static String ruleText(Rule rule) {
        StringBuilder out = new StringBuilder();
        append(out, rule);
        return out.toString().strip();
    }

    private static void append(StringBuilder out, Rule rule) {
        out.append("rule ").append(rule.id()).append(" priority ").append(rule.priority());
        if (!rule.action().equals("a") && !rule.action().isBlank()) {
            out.append(" action ").append(rule.action().replaceAll("[\\s#]+", "-"));
        }
        StoryFields.of(rule.match()).forEach(field -> out.append(' ').append(field));
        out.append('\n');
    }
}
