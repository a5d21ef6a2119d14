package dev.sluice.lab.gates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/** The pages: links lead somewhere, and commands in blocks are such as the command line takes. */
class DocsTest {
    private static final Path ROOT = CodeLines.root();
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("#+ +(.*)");

    /** A word of a shell: parts in quotes, escaped characters, others. */
    private static final Pattern WORD =
            Pattern.compile("('[^']*'|\"(?:\\\\.|[^\"])*\"|\\\\.|[^\\s'\"\\\\;]+)+|;");

    private static final Set<String> ENDS = Set.of(";", "|", "||", "&&", "&", ">", ">>", "<", "2>");

    /** Commands of the launcher, whose options it reads itself. */
    private static final Set<String> LAUNCHERS = Set.of("test", "package");

    /** Values that stand for the reader's own. */
    private static final Map<String, String> EXAMPLES =
            Map.of(
                    "N",
                    "1",
                    "P",
                    "1",
                    "M",
                    "1",
                    "HOST:PORT",
                    "localhost:9092",
                    "RATE",
                    "1M",
                    "port-buckets",
                    "linear",
                    "NAME",
                    "linear");

    private final CommandLine commands = Main.commandLine();

    private record Line(Path page, int number, String text) {
        @Override
        public String toString() {
            return page + ":" + number + ": ";
        }
    }

    @Test
    void linksLeadToFilesAndHeadings() throws IOException {
        List<String> problems = new ArrayList<>();
        for (Path page : pages()) {
            for (Line line : lines(page)) {
                Matcher links = LINK.matcher(line.text);
                while (links.find()) {
                    if (!links.group(1).matches("[a-z]+:.*")) {
                        String problem = problem(page, links.group(1));
                        if (!problem.isEmpty()) {
                            problems.add(line + problem);
                        }
                    }
                }
            }
        }
        assertEquals("", String.join("\n", problems));
    }

    private static String problem(Path page, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (!Files.exists(ROOT.resolve(target))) {
            return "there is no " + target + "; mend the link " + link;
        }
        return parts.length == 1 || anchors(target).contains(parts[1])
                ? ""
                : target + " has no heading #" + parts[1] + "; mend the link " + link;
    }

    /** Anchors of a page's headings, as GitHub makes them. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        boolean fenced = false;
        for (Line line : lines(page)) {
            fenced ^= line.text.startsWith("```");
            Matcher heading = HEADING.matcher(line.text);
            if (!fenced && heading.matches()) {
                String anchor =
                        heading.group(1)
                                .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                                .strip()
                                .toLowerCase()
                                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                                .replace(' ', '-');
                int before = seen.merge(anchor, 1, Integer::sum) - 1;
                anchors.add(before == 0 ? anchor : anchor + "-" + before);
            }
        }
        return anchors;
    }

    @Test
    void commandsInBlocksAreUnderstood() throws IOException {
        List<String> problems = new ArrayList<>();
        int count = 0;
        for (Path page : pages()) {
            for (Line line : blocks(page)) {
                for (List<String> command : commands(line.text)) {
                    count++;
                    String problem = refusal(command);
                    if (!problem.isEmpty()) {
                        problems.add(line + problem + "; correct the command");
                    }
                }
            }
        }
        assertEquals("", String.join("\n", problems));
        assertTrue(count >= 40, "only " + count + " commands were found in all pages");
    }

    /** Rows that had names as the schemas have them before the form was one. */
    private static final Pattern AS_SCHEMAS =
            Pattern.compile("## (classify --connections|rules show, .*|rules log|verdicts)");

    @Test
    void membersOfJsonAreNamedInOneForm() throws IOException {
        List<String> problems = new ArrayList<>();
        boolean old = false;
        for (Line line : lines(Path.of("docs/json.md"))) {
            old = line.text.startsWith("## ") ? AS_SCHEMAS.matcher(line.text).matches() : old;
            if (!old && line.text.matches("\\| `[^`]*[A-Z][^`]*` .*")) {
                problems.add(line + "write the name as in rule_id");
            }
        }
        assertEquals("", String.join("\n", problems));
    }

    @Test
    void wrongCommandsAndLinksAreRefused() throws IOException {
        assertEquals(
                List.of(
                        List.of("classify", "a b", "--rules", "r"),
                        List.of("bench", "--x", "y", "...")),
                commands(
                        "  $ A=b ./sluice classify 'a b' --rules r > o; ./sluice bench [--x y|z] ... # c"));
        assertEquals("", refusal(List.of("classify", "a.pcap", "--rules", "r.ovs")));
        assertEquals("", refusal(List.of("test", "--long")));
        assertTrue(refusal(List.of("test", "--longer")).contains("--longer"));
        assertTrue(refusal(List.of("classify", "a", "--ruls", "r")).contains("--ruls"));
        assertTrue(refusal(List.of("clasify", "a.pcap")).contains("clasify"));
        Path readme = Path.of("README.md");
        assertEquals("", problem(readme, "docs/architecture.md"));
        assertTrue(problem(readme, "docs/none.md").contains("there is no docs/none.md"));
        assertTrue(problem(readme, "CONTRIBUTING.md#none").contains("no heading #none"));
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages =
                new ArrayList<>(List.of(Path.of("README.md"), Path.of("CONTRIBUTING.md")));
        for (String folder : List.of("docs", "deploy")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".md"))
                        .map(ROOT::relativize)
                        .sorted()
                        .forEach(pages::add);
            }
        }
        return pages;
    }

    private static List<Line> lines(Path page) throws IOException {
        List<Line> lines = new ArrayList<>();
        for (String text : Files.readAllLines(ROOT.resolve(page))) {
            lines.add(new Line(page, lines.size() + 1, text));
        }
        return lines;
    }

    /**
     * Lines of fenced and indented blocks; a line that ends in a backslash has the next one, too.
     */
    private static List<Line> blocks(Path page) throws IOException {
        List<Line> blocks = new ArrayList<>();
        boolean fenced = false;
        String begun = "";
        for (Line line : lines(page)) {
            fenced ^= line.text.startsWith("```");
            if (fenced || line.text.startsWith("    ")) {
                String text = begun + line.text;
                begun = text.endsWith("\\") ? text.substring(0, text.length() - 1) : "";
                if (begun.isEmpty()) {
                    blocks.add(new Line(page, line.number, text));
                }
            }
        }
        return blocks;
    }

    /** Words of the sluice commands in a line; "[a b|c]" is "a b". */
    private static List<List<String>> commands(String line) {
        List<List<String>> commands = new ArrayList<>();
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(line.strip().replaceFirst("^\\$ ", ""));
        while (matcher.find()) {
            String word = matcher.group();
            if (word.startsWith("#")) {
                break;
            }
            if (ENDS.contains(word)) {
                add(commands, words);
                words = new ArrayList<>();
            } else {
                words.add(word);
            }
        }
        add(commands, words);
        return commands;
    }

    private static void add(List<List<String>> commands, List<String> words) {
        while (!words.isEmpty() && words.get(0).matches("[A-Z_]+=.*")) {
            words.remove(0);
        }
        if (!words.isEmpty() && words.get(0).matches("(\\./)?sluice")) {
            commands.add(words.stream().skip(1).map(DocsTest::value).toList());
        }
    }

    private static String value(String word) {
        boolean quoted = word.matches("['\"].*");
        String value = word.replaceAll("['\"]", "");
        return quoted ? value : value.replaceAll("^\\[|]$", "").replaceAll("\\|.*", "");
    }

    /** Tells what is wrong with a command; empty: nothing. */
    private String refusal(List<String> command) {
        if (!command.isEmpty() && LAUNCHERS.contains(command.get(0))) {
            String launcher = CodeLines.text(ROOT.resolve("sluice"));
            return command.stream()
                    .filter(word -> word.startsWith("--") && !launcher.contains("  " + word + " "))
                    .findFirst()
                    .map(word -> "sluice " + command.get(0) + " has no option " + word)
                    .orElse("");
        }
        try {
            commands.parseArgs(
                    command.stream()
                            .filter(word -> !word.equals("..."))
                            .map(word -> EXAMPLES.getOrDefault(word, word))
                            .toArray(String[]::new));
        } catch (MissingParameterException e) {
            return command.contains("...") ? "" : String.valueOf(e.getMessage());
        } catch (ParameterException e) {
            return String.valueOf(e.getMessage());
        }
        return "";
    }
}
