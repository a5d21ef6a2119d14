package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Commands of README and the guide that tests run: fenced blocks that begin with {@code sh run},
 * {@code sh run broker}, {@code sh run cluster}, or {@code console}, a session with its output.
 */
final class GuideCommands {
    private static final Path ROOT = TestData.inCheckout("docs").getParent();
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|([^\\s'\"]+)");
    private static final Pattern FILE =
            Pattern.compile(
                    ".*\\.(tsv|ovs|pcap|pcapng|history|jsonl|dir|(save|yaml|cfg|asa|json)(#[\\w-]+)?|xml)");

    private GuideCommands() {}

    /** A fenced block of a page. */
    record Block(Path page, int line, List<String> lines) {
        @Override
        public String toString() {
            return ROOT.relativize(page) + ":" + line;
        }
    }

    /** Blocks of one kind in README and the guide. */
    static List<Block> blocks(String wanted) throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        try (Stream<Path> guide = Files.list(ROOT.resolve("docs/guide"))) {
            guide.filter(page -> page.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        List<Block> blocks = new ArrayList<>();
        for (Path page : pages) {
            String kind = "";
            List<String> inside = new ArrayList<>();
            int number = 0;
            for (String line : Files.readAllLines(page)) {
                number++;
                if (!line.startsWith("```")) {
                    inside.add(line);
                } else if (kind.isEmpty()) {
                    kind = line.length() == 3 ? "text" : line.substring(3);
                    inside = new ArrayList<>();
                } else {
                    if (kind.equals(wanted)) {
                        blocks.add(new Block(page, number - inside.size(), List.copyOf(inside)));
                    }
                    kind = "";
                }
            }
            assertEquals("", kind, page + " has a block without an end");
        }
        return blocks;
    }

    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(line);
        while (word.find()) {
            for (int group = 1; group <= 3; group++) {
                if (word.group(group) != null) {
                    words.add(word.group(group));
                }
            }
        }
        return words;
    }

    /**
     * Runs a block's lines one after the other in this process, each of which must succeed.
     *
     * @param folder takes the files that it writes
     * @param bootstrap stands for localhost:9092
     */
    static void run(Block block, Path folder, String bootstrap) throws IOException {
        for (String line : block.lines()) {
            List<String> words =
                    words(line).stream().map(word -> here(word, folder, bootstrap)).toList();
            if (words.get(0).equals("cp")) {
                Files.copy(Path.of(words.get(1)), Path.of(words.get(2)));
            } else {
                assertEquals("./sluice", words.get(0), block + ": " + line);
                Sluice run = Sluice.run(words.subList(1, words.size()).toArray());
                assertEquals(0, run.status(), () -> block + ": " + line + "\n" + run.err());
                assertFalse(run.out().isBlank() && run.err().isBlank(), block + ": " + line);
            }
        }
    }

    /** A word of a page as it is in this process, whose folder is another. */
    private static String here(String word, Path folder, String bootstrap) {
        if (word.startsWith("test-data/")) {
            return ROOT.resolve(word).toString();
        }
        if (FILE.matcher(word).matches()) {
            return folder.resolve(word).toString();
        }
        return word.replace("localhost:9092", bootstrap);
    }

    /**
     * Runs the commands of a session and compares their output; {@code ...} stands for any lines.
     */
    static void compare(Block session, Path folder) {
        List<String> lines = session.lines();
        for (int at = 0; at < lines.size(); ) {
            String command = lines.get(at++);
            assertTrue(command.startsWith("$ ./sluice "), session + ": " + command);
            StringBuilder pattern = new StringBuilder();
            while (at < lines.size() && !lines.get(at).startsWith("$ ")) {
                String line = lines.get(at++);
                pattern.append(line.equals("...") ? "(.*\n)*?" : Pattern.quote(line + "\n"));
            }
            Object[] words =
                    words(command.substring("$ ./sluice ".length())).stream()
                            .map(word -> here(word, folder, ""))
                            .toArray();
            String out = Sluice.run(words).out().replace(ROOT + "/", "");
            assertTrue(out.matches(pattern.toString()), () -> session + ": it printed\n" + out);
        }
    }
}
