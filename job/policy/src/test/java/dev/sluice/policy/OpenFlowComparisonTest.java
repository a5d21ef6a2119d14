package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.testing.Oracle;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flow lines mean here what {@code ovs-ofctl parse-flows} says: each line that is taken must be
 * taken there, and what it prints of the line must have the same match and priority.
 */
class OpenFlowComparisonTest {
    private static final int LINES = Integer.getInteger("sluice.flows", 400);
    private static final String FLOW_MOD = "(OFPT|NXT)_FLOW_MOD .*?: ADD ";
    private static final String BOOKKEEPING =
            "(table|cookie|idle|hard|importance):\\S+ |(send_flow_rem|check_overlap) ";

    @TempDir Path folder;

    @BeforeEach
    void theToolIsThere() {
        Oracle.SWITCH.require();
    }

    @Test
    void aLineThatIsTakenMeansWhatOpenVSwitchReads() throws Exception {
        long seed = TestSeed.base();
        FlowLines lines = new FlowLines(TestSeed.random(210));
        List<String> taken = new ArrayList<>();
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            boolean plain = i % 3 == 0;
            String line = plain ? lines.plain() : lines.odd();
            try {
                rules.add(RuleText.parse(line));
                taken.add(line);
            } catch (SluiceException e) {
                if (plain) {
                    fail("seed " + seed + ": a plain line is refused: " + line, e);
                }
            }
        }
        assertTrue(taken.size() > LINES / 3, "seed " + seed + ": " + taken.size() + " taken");
        List<String> read = readByOpenVSwitch(taken, seed);
        assertEquals(taken.size(), read.size(), "seed " + seed);
        for (int i = 0; i < read.size(); i++) {
            String where = "seed " + seed + ": '" + taken.get(i) + "' is '" + read.get(i) + "'";
            Rule there = RuleText.parse(read.get(i));
            assertEquals(there.match(), rules.get(i).match(), where);
            assertEquals(there.priority(), rules.get(i).priority(), where);
            assertEquals(
                    there.action().equals("drop"), rules.get(i).action().startsWith("drop"), where);
        }
    }

    private List<String> readByOpenVSwitch(List<String> lines, long seed) throws Exception {
        Path file = folder.resolve("flows");
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        Files.write(file, lines);
        Process tool =
                new ProcessBuilder("ovs-ofctl", "parse-flows", file.toString())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
        assertTrue(tool.waitFor(60, TimeUnit.SECONDS));
        if (tool.exitValue() != 0) {
            String words = Files.readString(err);
            String number = words.replaceAll("(?s).*flows:(\\d+): .*", "$1");
            String line = number.matches("\\d+") ? lines.get(Integer.parseInt(number) - 1) : "";
            fail("seed " + seed + ": taken here, refused there: '" + line + "': " + words);
        }
        return Files.readAllLines(out).stream()
                .filter(line -> line.contains("_FLOW_MOD "))
                .map(line -> line.replaceFirst(FLOW_MOD, "").replaceAll(BOOKKEEPING, ""))
                .toList();
    }
}
