package dev.sluice.job.lab.tables;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.JsonPage;
import dev.sluice.job.UsageException;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command {@code bench bitmap-rfc} on some generated rules. */
class BitmapRfcCommandTest {
    @TempDir Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void writeRules() throws Exception {
        RuleGenerator.MaskCounts masks = new RuleGenerator.MaskCounts(1, 1, 1, 5);
        Files.write(
                folder.resolve("acl.rules"),
                new RuleGenerator(RuleShape.ACL, 400, 3, masks, 0.5).lines());
    }

    private int run(String... arguments) {
        CommandLine line = new CommandLine(new BitmapRfcCommand());
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        line.setExecutionExceptionHandler(
                (failure, command, parsed) -> {
                    throw failure;
                });
        String[] all = new String[arguments.length + 3];
        all[0] = "--rules=" + folder.resolve("acl.rules");
        all[1] = "--rounds=1";
        all[2] = "--turn-millis=5";
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return line.execute(all);
    }

    private static List<String[]> rows(List<String> lines, String heads) {
        assertEquals(1, lines.stream().filter(heads::equals).count(), heads);
        return lines.stream()
                .dropWhile(line -> !line.equals(heads))
                .skip(1)
                .map(line -> line.split(",", -1))
                .toList();
    }

    @Test
    void tablesAndRatesOfEveryFormAreSaidAndKept() throws Exception {
        Path files = folder.resolve("out");
        int status = run("--counts=100,300", "--out=" + files, "--note=a test");
        assertEquals(0, status, err::toString);
        List<String> kept = Files.readAllLines(files.resolve("bitmap-rfc.csv"));
        assertTrue(kept.contains("# a test"), kept::toString);
        List<String[]> rates = rows(kept, BitmapRfcStudy.RATE_HEADS);
        assertEquals(
                List.of("paper", "exact", "compressed", "tuned"),
                rates.subList(4, 8).stream().map(row -> row[1]).toList());
        for (String[] row : rates) {
            double times = Double.parseDouble(row[4]);
            // Tables that the caches hold stay plain in the tuned form.
            assertTrue(row[1].equals("tuned") ? times == 1 : times > 1, () -> row[1] + times);
            assertTrue(Double.parseDouble(row[5]) > 0 && Double.parseDouble(row[6]) > 0);
            assertEquals("0", row[8], "differences of plain and compressed tables");
        }
        List<String[]> tables =
                rows(
                        Files.readAllLines(files.resolve("bitmap-rfc-tables.csv")),
                        BitmapRfcStudy.TABLE_HEADS);
        assertEquals(
                List.of("chunk", "chunk", "chunk", "chunk", "chunk", "chunk", "X", "Y", "Z"),
                tables.stream()
                        .filter(row -> row[0].equals("300") && row[1].equals("paper"))
                        .map(row -> row[2])
                        .toList());
        for (String[] row : tables) {
            double share = 0;
            for (int column = 9; column < 12; column++) {
                share += Double.parseDouble(row[column]);
            }
            assertEquals(100, share, 0.05, "pieces of the histogram");
            boolean chunk = row[2].equals("chunk");
            if (chunk || row[1].equals("tuned")) {
                assertEquals("plain", row[8], () -> row[1] + " " + row[2]);
                assertEquals("1.00", row[7], () -> row[1] + " " + row[2]);
            }
            if (!chunk && row[1].equals("paper")) {
                assertEquals("32", row[8], () -> row[2]);
            }
        }
        assertTrue(out.toString().contains(BitmapRfcStudy.TABLE_HEADS), out::toString);
    }

    @Test
    void thePageTellsWhatJsonSays() throws Exception {
        assertEquals(0, run("--counts=100", "--forms=paper,exact", "--json"));
        JsonPage.assertTells("bench bitmap-rfc", out.toString());
        out.getBuffer().setLength(0);
        assertEquals(1, run("--counts=300", "--forms=exact", "--memory-budget=1m", "--json"));
        JsonPage.assertTells("bench bitmap-rfc", out.toString(), "tables");
    }

    @Test
    void whatDoesNotFitTheBudgetIsSaid() {
        assertEquals(1, run("--counts=300", "--forms=paper,exact", "--memory-budget=1m"));
        assertTrue(out.toString().contains("300,paper,refused,,,,,,"), out::toString);
        assertTrue(err.toString().contains("over the budget of 1,048,576"), err::toString);
        assertTrue(err.toString().contains("no sample was compiled"), err::toString);
    }

    @Test
    void moreRulesThanThereAreAreRefused() {
        UsageException refused =
                assertThrows(UsageException.class, () -> execute("--counts=100,401"));
        assertEquals(
                "--counts 401: the file has 400 rules; name a smaller number, or another file",
                refused.getMessage());
        assertThrows(UsageException.class, () -> execute("--forms=small"));
        assertThrows(UsageException.class, () -> execute("--note=nowhere"));
    }

    /** As {@link #run}, with what it threw. */
    private void execute(String argument) throws Throwable {
        BitmapRfcCommand command = new BitmapRfcCommand();
        new CommandLine(command).parseArgs("--rules=" + folder.resolve("acl.rules"), argument);
        command.call();
    }
}
