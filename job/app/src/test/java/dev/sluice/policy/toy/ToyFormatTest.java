package dev.sluice.policy.toy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.Sluice;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.RuleFormats;
import dev.sluice.policy.RuleText;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A format is added by its class and one service line: no other file names it. */
class ToyFormatTest {
    private static final String POLICY =
            """
            toy:list office
            allow 80
              443;
            drop 22 23;
            list guests
            drop 80;
            """;

    @TempDir Path folder;

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private RuleFile list(Path file, String list) {
        return RuleFile.read(Path.of(file + "#" + list), null);
    }

    private static String refusal(Path file) {
        return assertThrows(SluiceException.class, () -> RuleFile.read(file, null)).getMessage();
    }

    @Test
    void itIsFoundByContentAndByLabel() throws IOException {
        Path policy = file("p", POLICY);
        assertInstanceOf(ToyFormat.class, list(policy, "office").format());
        assertInstanceOf(ToyFormat.class, RuleFormats.of("toy"));
        assertTrue(OpenRules.isRules(policy));
        Rule rule = RuleText.parse("toy: drop 22;");
        assertEquals("drop", rule.action());
        assertEquals(0, rule.line());
        String line = "tcp actions=drop # B\u00fcro \u2013 Gast";
        assertEquals(line, RuleText.parse(line).text());
    }

    @Test
    void aRuleSpansLinesAndALineMakesSeveralRules() throws IOException {
        List<Rule> rules = list(file("p", POLICY), "office").rules();
        assertEquals(List.of("2-3", "2-3", "4", "4"), rules.stream().map(Rule::lines).toList());
        assertEquals(
                List.of("allow 80\n  443;", "drop 22 23;"),
                rules.stream().map(Rule::text).distinct().toList());
        assertEquals(4, rules.stream().map(Rule::id).distinct().count());
    }

    @Test
    void aListIsNamedBehindTheFile() throws IOException {
        Path policy = file("p", POLICY);
        assertEquals(
                List.of("6"), list(policy, "guests").rules().stream().map(Rule::lines).toList());
        assertEquals(
                ("%1$s:6:1: 'guests': is another list than that of the first rule, and a rule set is"
                                + " one list: name %1$s#office or another")
                        .formatted(policy),
                refusal(policy));
        assertEquals(
                "%1$s: has no rule in a list cellar; name %1$s#guests or %1$s#office"
                        .formatted(policy),
                refusal(Path.of(policy + "#cellar")));
        Path whole = file("p#guests", "toy:drop 1;\n");
        assertEquals(1, RuleFile.read(whole, null).rules().size());
        Path hashes = file("q#1", POLICY);
        assertEquals(4, list(hashes, "office").rules().size());
    }

    @Test
    void aFormatWithoutListsSaysSo() throws IOException {
        Path flows = file("c", "@1.0.0.0/8 0.0.0.0/0 0 : 65535 0 : 65535 0x00/0x00\n");
        assertEquals(
                flows + ": its ClassBench rules are one list without a name; leave #a out",
                refusal(Path.of(flows + "#a")));
    }

    @Test
    void defectsPointAtTheUsersLines() throws IOException {
        String message = refusal(file("p", "toy:drop 1;\ndrop\n 99999;\ndrop x;\ndrop 5"));
        assertEquals(
                List.of("p:2:7: '99999'", "p:4:6: 'x'", "p:6:1: 'drop 5'"),
                message.lines()
                        .map(line -> line.substring(folder.toString().length() + 1))
                        .map(line -> line.substring(0, line.indexOf("':") + 1))
                        .toList());
    }

    @Test
    void whatNoFormatClaimsIsRefusedWithTheFormatsAndWhatWasSeen() throws IOException {
        String message = refusal(file("p", "# a comment\n\nblock 1 any\n"));
        assertTrue(message.contains("p:3: 'block 1 any': is of none of"), message);
        assertTrue(message.contains(String.join(", ", RuleFormats.labels())), message);
        String rule =
                assertThrows(SluiceException.class, () -> RuleText.parse("deny any")).getMessage();
        assertTrue(rule.contains("'deny any': is of none of the formats"), rule);
    }

    @Test
    void classifyJudgesByIt() throws IOException {
        Path policy = file("policy.toy", POLICY);
        Sluice run =
                Sluice.run(
                        "classify",
                        TestData.office("office.pcapng.gz"),
                        "--default-action",
                        "none",
                        "--rules",
                        policy + "#office");
        assertEquals(0, run.status(), run.err());
        List<String[]> rows = run.out().lines().skip(1).map(row -> row.split("\t", -1)).toList();
        assertTrue(rows.stream().anyMatch(row -> row[5].equals("allow")), run.out());
        for (String[] row : rows) {
            assertEquals(
                    row[5].equals("allow") ? "2" : row[5].equals("drop") ? "4" : "",
                    row[3],
                    String.join(" ", row));
        }
    }
}
