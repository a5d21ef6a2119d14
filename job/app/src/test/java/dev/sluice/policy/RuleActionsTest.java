package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.Sluice;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Actions of ClassBench rules: in a column of their own, in a file of their own, or none. */
class RuleActionsTest {
    private static final String TCP = "@10.0.0.0/8 0.0.0.0/0 0 : 65535 25 : 25 0x06/0xFF";
    private static final String UDP = "@10.0.0.0/8 0.0.0.0/0 0 : 65535 53 : 53 0x11/0xFF";
    private static final String ALL = "@0.0.0.0/0 0.0.0.0/0 0 : 65535 0 : 65535 0x00/0x00";

    @TempDir Path folder;

    private Path file(String name, String... lines) throws IOException {
        return Files.write(folder.resolve(name), List.of(lines));
    }

    private RuleFile rules(String... lines) throws IOException {
        return RuleFile.read(file("r.rules", lines), null);
    }

    private static List<String> actions(RuleFile rules) {
        return rules.rules().stream().map(Rule::action).toList();
    }

    @Test
    void theColumnBehindProtocolOrFlagsIsTheActionAndWithoutItThereIsMatch() throws IOException {
        RuleFile rules =
                rules(
                        TCP + " drop",
                        UDP + "\t0x0000/0x0200\tset_queue:1,NORMAL",
                        UDP + " ff/ff",
                        ALL);
        assertEquals(List.of("drop", "set_queue:1,NORMAL", "match", "match"), actions(rules));
        assertEquals(TCP + " drop", rules.rules().get(0).text());
    }

    @Test
    void aFileOfActionsIsTheSameAsTheColumn() throws IOException {
        RuleFile apart = rules("# a policy", TCP, UDP + " NORMAL", ALL);
        Path given = file("actions", "# what they do", "4 drop  # the rest", "", "2\tdrop");
        assertEquals(
                rules("# a policy", TCP + " drop", UDP + " NORMAL", ALL + " drop"),
                RuleActions.read(given).appliedTo(apart, folder.resolve("r.rules")));
    }

    private void assertRefused(String says, RuleFile rules, String... lines) throws IOException {
        Path given = file("actions", lines);
        String message =
                assertThrows(
                                SluiceException.class,
                                () -> RuleActions.read(given).appliedTo(rules, Path.of("r.rules")))
                        .getMessage();
        assertTrue(message.contains(says), message);
    }

    @Test
    void defectsAreNamedByFileLineAndRemedy() throws IOException {
        RuleFile rules = rules("# a policy", TCP, UDP + " NORMAL");
        String at = folder.resolve("actions") + ":2: ";
        String good = "2 drop";
        assertRefused(at + "'x' is no rule's number; begin the line", rules, good, "x drop");
        assertRefused(at + "rule 3 is given no action; write one", rules, good, "3");
        assertRefused(at + "'drop it' is no action; write one word", rules, good, "3 drop it");
        assertRefused(at + "'5' is no action", rules, good, "3 5");
        assertRefused(at + "rule 2 has an action on line 1; keep one", rules, good, "2 drop");
        assertRefused(at + "rule 3 says its action itself: NORMAL; keep", rules, good, "3 drop");
        assertRefused(at + "no rule is on line 9 of r.rules", rules, good, "9 drop");
        assertRefused("names no action; write lines NUMBER ACTION", rules, "# nothing");
        assertRefused("is for rules that may say no action", rules("tcp actions=drop"), "1 drop");
        Path two = file("two", "x 1", "y 2");
        String both = assertThrows(SluiceException.class, () -> RuleActions.read(two)).getMessage();
        assertEquals(2, both.lines().count(), both);
    }

    @Test
    void verdictsAndSummaryHaveTheActions() throws IOException {
        Path capture = TestData.office("office.pcapng.gz");
        Path policy = file("p.rules", ALL.replace("0x00/0x00", "0x11/0xFF"), ALL);
        Path given = file("actions", "1 NORMAL");
        Sluice plain = Sluice.run("classify", capture, "--rules", policy);
        assertEquals(0, plain.status(), plain.err());
        assertTrue(plain.out().contains("\t1\t0\tmatch\t1\tclassified"), plain.out());
        Sluice acting = Sluice.run("classify", capture, "--rules", policy, "--actions", given);
        assertEquals(0, acting.status(), acting.err());
        assertEquals(plain.out().replace("\t1\t0\tmatch\t", "\t1\t0\tNORMAL\t"), acting.out());
        assertTrue(acting.err().contains("0x11/0xFF NORMAL"), acting.err());
        Sluice history =
                Sluice.run("replay", capture, "--rules-history", policy, "--actions", given);
        assertEquals(2, history.status(), history.err());
        assertTrue(history.err().contains("--actions numbers the rules"), history.err());
    }
}
