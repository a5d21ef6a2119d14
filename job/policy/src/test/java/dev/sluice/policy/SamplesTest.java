package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.nft.RulesetSize;
import dev.sluice.schemas.testing.SharedData;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rules of public samples that are read, as the tables of docs/policies say. Their folder is named
 * by the property {@code sluice.test.samples}, or is that of the shared data.
 */
class SamplesTest {
    private static final PolicyOptions SKIPPING = new PolicyOptions(null, Assumptions.NONE, true);
    private static final String RESOURCES = "src/test/resources/dev/sluice/policy/";
    private static final Pattern RULE = Pattern.compile("(?m)^(?:\\[[0-9:]+\\] )?-[AI] ");
    private static final Pattern EXPECTED =
            Pattern.compile("(?s)-- Expect stdout --\n(.*?)-- End --");
    private static final Pattern LISTED = Pattern.compile("(?ms)^ {4}table .*?^ {4}}$");
    private static final Pattern NAMED = Pattern.compile("name one: \\S+#([^\\s,]+)");
    private static final String UNREADABLE = "is unreadable, and may be any MAC address";

    /** End of the name of a row whose files another row counts, too. */
    private static final String PART = ", one of these";

    @TempDir Path folder;

    /** Row of a table, and the files that it counts. */
    private record Sample(String page, String name, String folder, String files) {
        boolean isNft() {
            return page.equals("nft");
        }

        @Override
        public String toString() {
            return page + ": " + name;
        }
    }

    static Stream<Sample> samples() throws IOException {
        Path table = TestData.inCheckout("job/policy").resolve(RESOURCES + "samples.tsv");
        return Files.readAllLines(table).stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("\t"))
                .map(cells -> new Sample(cells[0], cells[1], cells[2], cells[3]));
    }

    static Stream<Sample> small() throws IOException {
        return samples().filter(sample -> sample.folder.startsWith("test-data"));
    }

    static Stream<Sample> others() throws IOException {
        return samples().filter(sample -> !sample.folder.startsWith("test-data"));
    }

    @ParameterizedTest
    @MethodSource("small")
    void theTableSaysWhatIsRead(Sample sample) throws IOException {
        compare(sample, TestData.inCheckout(sample.folder));
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("others")
    void theTableSaysWhatIsReadOfSamplesElsewhere(Sample sample) throws IOException {
        String named = System.getProperty("sluice.test.samples");
        Path all = named == null ? SharedData.folder("policies") : Path.of(named);
        Path own = all.resolve(sample.folder);
        assumeTrue(Files.isDirectory(own), () -> "skipped: there is no folder " + own);
        compare(sample, own);
    }

    @ParameterizedTest
    @ValueSource(strings = {"iptables", "nft"})
    void almostAllOfTheRulesAreRead(String page) throws IOException {
        List<Integer> sums = new ArrayList<>();
        for (Sample sample : samples().filter(one -> one.page.equals(page)).toList()) {
            String[] cells = row(sample).split(" \\| ");
            for (int i = 0; i < cells.length && !sample.name.endsWith(PART); i++) {
                int count = Integer.parseInt(cells[i].replace(",", ""));
                if (i < sums.size()) {
                    sums.set(i, sums.get(i) + count);
                } else {
                    sums.add(count);
                }
            }
        }
        int read = sums.get(page.equals("nft") ? 2 : 1);
        int rules = sums.get(page.equals("nft") ? 1 : 0);
        assertTrue(read > 0.95 * rules, read + " of " + rules);
        List<String> all = sums.stream().map(sum -> "%,d".formatted(sum)).toList();
        String row = row(new Sample(page, "all of these", "", ""));
        assertEquals(String.join(" | ", all), row.replaceFirst(" \\([0-9.]+ %\\)", ""));
    }

    private void compare(Sample sample, Path own) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(own)) {
            files =
                    all.filter(Files::isRegularFile)
                            .filter(file -> matches(own.relativize(file), sample.files))
                            .sorted()
                            .toList();
        }
        int[] counts = new int[3];
        for (Path file : files) {
            add(sample, file, Files.readString(file), counts);
        }
        List<String> found = new ArrayList<>();
        if (sample.isNft()) {
            found.add("%,d".formatted(files.size()));
        }
        Arrays.stream(counts).forEach(count -> found.add("%,d".formatted(count)));
        if (counts[2] == 0) {
            found.remove(found.size() - 1);
        }
        assertEquals(String.join(" | ", found), row(sample));
    }

    private static boolean matches(Path file, String names) {
        return file.toString().replace('\\', '/').matches(names);
    }

    /** Adds the rules of a file, those that are read, and those of any MAC address. */
    private void add(Sample sample, Path file, String text, int[] counts) throws IOException {
        Matcher expected = EXPECTED.matcher(text);
        if (expected.find()) {
            text = expected.group(1);
        } else if (file.toString().endsWith(".md")) {
            text =
                    LISTED.matcher(text)
                            .results()
                            .map(one -> one.group() + "\n")
                            .reduce("", String::concat);
        }
        Path copy = Files.writeString(folder.resolve("sample.txt"), text);
        int rules =
                sample.isNft()
                        ? RulesetSize.of(file.toString(), text)
                        : (int) RULE.matcher(text).results().count();
        counts[0] += rules;
        List<String> warnings;
        try {
            warnings = warnings(copy);
        } catch (SluiceException e) {
            String message = String.valueOf(e.getMessage());
            if (message.contains("holds no")) {
                counts[1] += rules; // no base chain of a packet's way
            } else {
                System.out.println(file.getFileName() + ": " + message.lines().findFirst());
            }
            return;
        }
        long skipped = warnings.stream().filter(one -> one.contains(": skipped: ")).count();
        counts[1] += rules - (int) skipped;
        counts[2] += (int) warnings.stream().filter(one -> one.contains(UNREADABLE)).count();
    }

    /** Returns the warnings about a file, whichever of its policies is asked for. */
    private static List<String> warnings(Path file) {
        try {
            return PolicyFile.read(file, SKIPPING).warnings();
        } catch (SluiceException e) {
            Matcher named = NAMED.matcher(String.valueOf(e.getMessage()));
            if (!named.find()) {
                throw e;
            }
            return PolicyFile.read(Path.of(file + "#" + named.group(1)), SKIPPING).warnings();
        }
    }

    /** Returns the numbers of a sample's row in the table of its page. */
    private static String row(Sample sample) throws IOException {
        Path page = TestData.inCheckout("docs/policies/" + sample.page + ".md");
        for (String line : Files.readAllLines(page)) {
            String plain = line.replaceAll("\\[([^]]*)\\]\\([^)]*\\)", "$1");
            if (plain.startsWith("| " + sample.name + " |")) {
                return plain.substring(sample.name.length() + 5).replaceAll("[ |]+$", "");
            }
        }
        throw new AssertionError(page + " has no row of " + sample.name);
    }
}
