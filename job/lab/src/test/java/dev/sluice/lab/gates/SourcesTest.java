package dev.sluice.lab.gates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Sizes of files and modules, and the Javadoc of main code. */
class SourcesTest {
    private static final Path ROOT = CodeLines.root();
    private static final int LONGEST_FILE = 450;
    private static final int LONGEST_COMMAND = 150;

    @Test
    void noFileIsLong() {
        Map<String, Integer> lengths = new TreeMap<>();
        for (Path source : CodeLines.sources(ROOT)) {
            int lines = (int) CodeLines.text(ROOT.resolve(source)).lines().count();
            if (lines > LONGEST_FILE) {
                lengths.put(source.getFileName().toString(), lines);
            }
        }
        new FrozenList("long-files.txt")
                .checkCounts(
                        lengths,
                        name -> LONGEST_FILE,
                        20,
                        "%s has %d lines, %d are allowed; it holds a second idea: move that to a file of its own");
    }

    @Test
    void noCommandIsLong() {
        Map<String, Integer> lengths = new TreeMap<>();
        for (Path source : CodeLines.sources(ROOT)) {
            String text = CodeLines.text(ROOT.resolve(source));
            int lines = (int) text.lines().count();
            if (source.toString().contains("/src/main/")
                    && text.contains("\n@Command(")
                    && lines > LONGEST_COMMAND) {
                lengths.put(source.getFileName().toString(), lines);
            }
        }
        new FrozenList("long-commands.txt")
                .checkCounts(
                        lengths,
                        name -> LONGEST_COMMAND,
                        20,
                        "%s has %d lines, %d are allowed in a command: options and one call; move the work to its room");
    }

    /** A nested type is read with its outer type's name, and may share its own. */
    @Test
    void noTwoTopLevelClassesHaveOneName() {
        Map<String, Integer> names = new TreeMap<>();
        for (Path source : CodeLines.sources(ROOT)) {
            String name = source.getFileName().toString().replace(".java", "");
            if (source.toString().contains("/src/main/") && !name.endsWith("-info")) {
                names.merge(name, 1, Integer::sum);
            }
        }
        names.values().removeIf(count -> count == 1);
        new FrozenList("names.txt")
                .checkCounts(
                        names,
                        name -> 1,
                        0,
                        "the name %s has %d top-level classes, and %d may have it; rename the newest");
    }

    @Test
    void modulesKeepToTheirBudgets() {
        FrozenList list = new FrozenList("lines.txt");
        System.out.print(CodeLines.table(ROOT, list.counts()));
        Map<String, Integer> lines = new TreeMap<>();
        CodeLines.modules(ROOT).forEach((name, count) -> lines.put(name, count.main()));
        list.checkCounts(
                lines,
                name -> CodeLines.GOALS.getOrDefault(name, 0),
                200,
                "%s has %d lines of code, its budget is %d; remove what no longer earns its place, or raise the budget by a commit that says why");
    }

    @Test
    void javadocBeginsWithANounOrAVerb() throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        StringBuilder offenders = new StringBuilder();
        for (Javadoc doc : Javadoc.of(ROOT)) {
            if (doc.beginsBadly()) {
                counts.merge(doc.module(), 1, Integer::sum);
                offenders.append(doc).append('\n');
            }
        }
        System.out.print(offenders);
        new FrozenList("javadoc.txt")
                .checkCounts(
                        counts,
                        name -> 0,
                        10,
                        "%s has %d Javadoc texts that begin with one of "
                                + Javadoc.BAD
                                + ", %d are allowed; begin yours with a noun or a verb: the test's output lists all");
    }

    @Test
    void everyPublicTypeHasJavadoc() throws IOException {
        List<String> without =
                Javadoc.of(ROOT).stream()
                        .filter(Javadoc::lacks)
                        .map(doc -> doc.place() + " has no Javadoc; tell in a sentence what it is")
                        .toList();
        assertEquals("", String.join("\n", without));
    }

    @Test
    void linesOfCodeAreCountedWithoutCommentsBlanksAndImports() {
        String source =
                """
                package a;

                import java.util.List; // an import
                /** Javadoc. */
                class A { /* a comment
                    that goes on */
                    // a line
                    String url = "http://a/*b"; // behind code
                    char quote = '"'; /* x */
                    String text = \"""
                        // text
                        \\\""" /* text
                        \""";
                }
                """;
        assertEquals(8, CodeLines.of(source));
    }

    @Test
    void sourcesOfAllModulesAreFound() {
        Map<String, CodeLines.Count> modules = CodeLines.modules(ROOT);
        assertTrue(modules.keySet().containsAll(CodeLines.GOALS.keySet()), modules.toString());
        assertTrue(modules.get("gpu-udf").jmh() > 0, modules.toString());
        assertTrue(modules.get("job/app").tests() > 0, modules.toString());
    }
}
