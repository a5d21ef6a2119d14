package dev.sluice.job.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that judge captures by a policy of chains. */
class ClassifyPolicyTest {
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final Path HOST = TestData.inCheckout("test-data/iptables/host.save");

    @TempDir Path folder;

    @Test
    void engineFindsTheLineThatLinearSearchFinds() throws IOException {
        PolicyOptions options = new PolicyOptions("INPUT", Assumptions.NONE, false);
        PolicyFile policy = PolicyFile.read(HOST, options);
        try (CaptureHits hits = new CaptureHits(policy, ParserOptions.DEFAULTS, null);
                CaptureReader capture = Captures.open(CAPTURE)) {
            CaptureBatch batch = hits.newBatch();
            while (capture.next()) {
                batch.add(capture);
            }
            int[] found = hits.classify(batch);
            HeaderBatch headers = batch.headers();
            for (int i = 0; i < headers.size(); i++) {
                int[] header = new int[HeaderWord.COUNT];
                for (int p = 0; p < headers.layout().size(); p++) {
                    header[headers.layout().word(p)] = headers.word(p, i);
                }
                Answer answer = policy.flat().judge(header);
                if (answer == null) {
                    assertEquals(VerdictBatch.MISS, found[i], "packet " + i);
                } else {
                    String action =
                            answer.outcome() == Outcome.DEPENDS
                                    ? "depends"
                                    : answer.rule().action();
                    assertEquals(
                            answer.rule().origin().line() + " " + action,
                            hits.rule(found[i]).line() + " " + hits.rule(found[i]).action(),
                            "packet " + i);
                }
            }
        }
    }

    @Test
    void eachPacketHasALineWithItsActionAndRule() {
        Sluice run =
                Sluice.run(
                        "classify",
                        CAPTURE,
                        "--rules",
                        HOST + "#INPUT",
                        "--assume",
                        "new",
                        "--in-interface",
                        "eth0");
        assertEquals(0, run.status(), run.err());
        Map<String, Long> actions =
                run.out()
                        .lines()
                        .skip(1)
                        .map(line -> line.split("\t", -1)[5])
                        .collect(
                                Collectors.groupingBy(
                                        action -> action, TreeMap::new, Collectors.counting()));
        assertEquals(1057, actions.values().stream().mapToLong(Long::longValue).sum());
        assertTrue(actions.containsKey("DROP") && actions.containsKey("ACCEPT"), "" + actions);
        assertTrue(actions.containsKey("not-judged"), "" + actions);
        assertTrue(run.err().contains("host.save: 26 rules of INPUT read"), run.err());
    }

    @Test
    void packetDependsOnItsConnectionUntilItsStateIsAssumed() throws IOException {
        Path file = folder.resolve("host.save");
        Files.writeString(
                file,
                """
                *filter
                :INPUT DROP [0:0]
                -A INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT
                COMMIT
                """);
        String both = Sluice.run("classify", CAPTURE, "--rules", file, "--hook", "INPUT").out();
        assertTrue(both.contains("\t3\t0\tdepends\t"), both);
        String first =
                Sluice.run("classify", CAPTURE, "--rules", file + "#INPUT", "--assume", "new")
                        .out();
        assertTrue(first.contains("\t2\t0\tDROP\t") && !first.contains("ACCEPT"), first);
    }

    @Test
    void rulesShowPrintsWhatWasUnderstood() throws IOException {
        Sluice run = Sluice.run("rules", "show", HOST + "#INPUT", "--format", "tsv");
        assertEquals(0, run.status(), run.err());
        assertTrue(
                run.out().contains("state ESTABLISHED,RELATED\t-A INPUT -m conntrack"), run.out());
        JsonPage.assertTells(
                "rules show",
                Sluice.run("rules", "show", HOST + "#INPUT", "--json").out(),
                "change",
                "id",
                "priority",
                "place",
                "defaultAction");
        assertTrue(Sluice.run("rules", "formats").out().contains("ip6tables"));
    }
}
