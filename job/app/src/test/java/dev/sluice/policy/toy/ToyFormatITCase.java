package dev.sluice.policy.toy;

import static dev.sluice.job.Sluice.ok;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.schemas.testing.TestData;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Rules of a format that only tests have go through the topic and the job as others do. */
@Timeout(120)
class ToyFormatITCase {
    @RegisterExtension static final TestBroker broker = new TestBroker();

    @TempDir Path folder;

    /** Line and action of each packet. */
    private static List<String> judged(Sluice run) {
        List<String> head = List.of(run.out().lines().findFirst().orElseThrow().split("\t"));
        int line = head.indexOf("rule");
        int action = head.indexOf("action");
        return run.out()
                .lines()
                .skip(1)
                .map(row -> row.split("\t", -1))
                .map(row -> row[line] + " " + row[action])
                .sorted()
                .toList();
    }

    @Test
    void theJobJudgesAsClassifyDoes() throws Exception {
        Path policy =
                Files.writeString(
                        folder.resolve("policy.toy"),
                        "toy:list office\nallow 80\n  443;\ndrop 22 23;\nlist guests\ndrop 80;\n");
        String office = policy + "#office";
        Path capture = TestData.office("office.pcapng.gz");
        Topics topics = Topics.of(broker.bootstrap(), "toy").create();
        ok(topics.run("rules", "publish", "--rules", office));
        Sluice again = ok(topics.run("rules", "publish", "--rules", office));
        assertTrue(again.out().contains(office + " is what stands in"), again.out());
        Sluice shown = ok(topics.run("rules", "show"));
        assertEquals(2, shown.out().lines().filter(row -> row.contains("2-3")).count());
        Sluice shared = topics.run("rules", "remove", "--line", 4);
        assertTrue(shared.err().contains("line 4 has 2 rules; name one by its id"), shared.err());
        ok(topics.run("export", capture));
        ok(topics.run("run", "--bounded", "--from", "earliest", "--group", "toy"));
        Sluice verdicts = ok(topics.run("verdicts"));
        Sluice classified = ok("classify", capture, "--rules", office);
        assertEquals(judged(classified), judged(verdicts));
    }
}
