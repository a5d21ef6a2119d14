package dev.sluice.lab.gates;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Counter of lines of code: lines of Java without comments, blank lines, imports and the package
 * line. {@code java job/lab/src/test/java/dev/sluice/lab/gates/CodeLines.java} prints the table of
 * all modules, without a build.
 */
final class CodeLines {
    /** Lines of code that each module is to have at most; an issue may raise one and says why. */
    static final Map<String, Integer> GOALS =
            Map.of(
                    "schemas",
                            3_419, // 619 of them: steps, verdicts of policies, flows, connections
                    "gpu-udf", 24_372, // 2,362 of them: engine.walk
                    "operators", 12_123, // 4,369 of them: connections; 530: shadow
                    "broker", 80,
                    "job/policy", 44_035, // 11,250 of them: formats of vendors and clouds
                    "job/app", 28_655, // 9,655 of them: commands of policies and questions
                    "job/lab", 7_000);

    /** Literals, which may hold what looks like a comment, and comments (group 1). */
    private static final Pattern COMMENT =
            Pattern.compile(
                    "\"\"\"[\\s\\S]*?(?<!\\\\)\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\])+'"
                            + "|(//[^\\n]*|/\\*[\\s\\S]*?\\*/)");

    private CodeLines() {}

    /** Lines of code of one module. */
    record Count(int main, int tests, int jmh) {
        Count plus(Count other) {
            return new Count(main + other.main, tests + other.tests, jmh + other.jmh);
        }
    }

    /** Prints the table of the checkout that the process runs in. */
    public static void main(String[] args) {
        System.out.print(table(root(), Map.of()));
    }

    /** Root of the checkout that the process runs in. */
    static Path root() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("sluice")) && Files.exists(at.resolve("CONTRIBUTING.md"))) {
                return at;
            }
        }
        throw new IllegalStateException(
                "no checkout of Sluice is around this folder; run it in one");
    }

    /** Java files of main code, tests and benchmarks, by their paths from the root. */
    static List<Path> sources(Path root) {
        return moduleFolders(root)
                .map(module -> module.resolve("src"))
                .filter(Files::isDirectory)
                .flatMap(CodeLines::files)
                .filter(file -> file.toString().endsWith(".java"))
                .map(root::relativize)
                .sorted()
                .toList();
    }

    /** Folders of the compiled main classes of all modules that are built. */
    static List<Path> classes() {
        return moduleFolders(root())
                .map(module -> module.resolve("target/classes"))
                .filter(Files::isDirectory)
                .sorted()
                .toList();
    }

    private static Stream<Path> moduleFolders(Path root) {
        return folders(root).flatMap(module -> Stream.concat(Stream.of(module), folders(module)));
    }

    private static Stream<Path> folders(Path folder) {
        return Stream.of(folder.toFile().listFiles(File::isDirectory)).map(File::toPath);
    }

    private static Stream<Path> files(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lines of code in a file's text. */
    static int of(String source) {
        String code =
                COMMENT.matcher(source)
                        .replaceAll(
                                found ->
                                        found.group(1) != null
                                                ? ""
                                                : Matcher.quoteReplacement(found.group()));
        return (int)
                code.lines()
                        .filter(line -> !line.isBlank() && !line.matches("(import|package) .*"))
                        .count();
    }

    /** Module of a source file. */
    static String module(Path source) {
        String path = source.toString();
        return path.substring(0, path.indexOf("/src/"));
    }

    /** Counts of all modules. */
    static Map<String, Count> modules(Path root) {
        Map<String, Count> modules = new TreeMap<>();
        for (Path source : sources(root)) {
            int lines = of(text(root.resolve(source)));
            String path = source.toString();
            Count count =
                    path.contains("/src/main/")
                            ? new Count(lines, 0, 0)
                            : path.contains("/src/jmh/")
                                    ? new Count(0, 0, lines)
                                    : new Count(0, lines, 0);
            modules.merge(module(source), count, Count::plus);
        }
        return modules;
    }

    /** Counts, budgets and goals of all modules as a table, and what deploy has. */
    static String table(Path root, Map<String, Integer> budgets) {
        String row = "%-10s %8s %8s %8s %8s %8s%n";
        StringBuilder table =
                new StringBuilder(
                        row.formatted("module", "code", "budget", "goal", "tests", "jmh"));
        modules(root)
                .forEach(
                        (name, count) -> {
                            Object goal = GOALS.containsKey(name) ? GOALS.get(name) : "-";
                            Object budget = budgets.containsKey(name) ? budgets.get(name) : goal;
                            table.append(
                                    row.formatted(
                                            name,
                                            count.main,
                                            budget,
                                            goal,
                                            count.tests,
                                            count.jmh));
                        });
        long deploy =
                files(root.resolve("deploy"))
                        .filter(file -> !file.toString().endsWith(".md"))
                        .flatMap(file -> text(file).lines())
                        .filter(line -> !line.isBlank())
                        .count();
        return table.append("deploy: %d lines beside its pages%n".formatted(deploy)).toString();
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
