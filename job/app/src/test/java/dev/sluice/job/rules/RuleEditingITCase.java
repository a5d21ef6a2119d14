package dev.sluice.job.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.job.Topics;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.policy.RuleText;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.Await;
import java.io.BufferedReader;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Single rules that come and go, and publishers that meet. */
@Timeout(180)
class RuleEditingITCase extends RuleCommands {
    @Test
    void singleRulesComeAndGoWhereTheyAreTold() throws Exception {
        String topic = "single";
        refused(topic, "topic single does not exist", "add", flow(5, 1));
        done(topic, "publish", "--rules", file("single.ovs", flow(5, 1), flow(5, 2)));
        Sluice last = done(topic, "add", flow(5, 9));
        assertTrue(last.out().contains(flow(5, 9)), last.out());
        JsonPage.assertTells(
                "rules add", done(topic, "add", flow(5, 7), "--first", "--json").out());
        done(topic, "add", flow(5, 8), "--before", idOf(topic, flow(5, 9)));
        done(topic, "add", flow(5, 6), "--after", 1);
        assertEquals(
                List.of(flow(5, 7), flow(5, 1), flow(5, 6), flow(5, 2), flow(5, 8), flow(5, 9)),
                texts(topic));
        done(topic, "remove", idOf(topic, flow(5, 8)));
        JsonPage.assertTells("rules remove", done(topic, "remove", "--line", 2, "--json").out());
        assertEquals(List.of(flow(5, 7), flow(5, 1), flow(5, 6), flow(5, 9)), texts(topic));
        refused(topic, "no rule stands on line 2", "remove", "--line", 2);
        refused(topic, "no rule has the id -5", "remove", -5);
        refused(topic, "has priority 5, the new one 4", "add", flow(4, 3), "--before", 1);
        refused(topic, "is of none of the formats", "add", "tcp");
        Sluice twice =
                refused(
                        topic,
                        "rule %s of line 1 is the same, '%s'"
                                .formatted(idOf(topic, flow(5, 1)), flow(5, 1)),
                        "add",
                        flow(5, 1),
                        "--first");
        assertEquals(1, twice.err().lines().count(), twice.err());
        assertEquals(2, run(topic, "add", flow(5, 3), "--first", "--before", 1).status());
        // Effective times never decrease; none is the time of the commit.
        refused(topic, "effective times never decrease", "add", flow(5, 3), "--effective", 1000);
        done(topic, "add", flow(5, 3), "--effective", "2100-01-01T00:00:00Z");
        refused(
                topic,
                "2100-01-01T00:00:00Z",
                "remove",
                "--line",
                1,
                "--effective",
                "2099-12-31T23:59:59Z");
        Sluice noon = run(topic, "remove", "--line", 1, "--effective", "noon");
        assertEquals(2, noon.status());
        assertTrue(noon.err().contains("--effective noon is no time"), noon.err());
        assertEquals(
                "2100-01-01T00:00:00Z",
                log(topic).get(log(topic).size() - 1).get("effective").asText());
    }

    @Test
    void aRuleOfTheOtherFormatIsRefusedWithARemedy() throws Exception {
        String classBench = "@10.0.0.0/8 0.0.0.0/0 0 : 65535 25 : 25 0x06/0xFF";
        done("flows", "publish", "--rules", file("flows.ovs", flow(5, 1)));
        Sluice mixed = refused("flows", "write it as in 'priority=100,tcp", "add", classBench);
        assertEquals(1, mixed.err().lines().count(), mixed.err());
        done("filters", "publish", "--rules", file("filters.rules", classBench));
        refused("filters", "those that are there are of ClassBench", "add", flow(5, 1));
        Sluice followed = follow("filters", "{\"change\": 1, \"to\": \"" + flow(5, 2) + "\"}");
        assertEquals(1, followed.status());
        assertTrue(followed.err().contains("line 1: the rule is of OpenFlow"), followed.err());
        assertEquals(List.of(classBench), texts("filters"));
    }

    @Test
    void ofTwoPublishersOneWinsAndTheOtherIsTold() {
        String topic = "two";
        Topics.createRules(broker.bootstrap(), topic);
        try (RulePublisher a = publisher(topic);
                RulePublisher b = publisher(topic);
                RulePublisher c = publisher(topic)) {
            RuleStanding base = a.look();
            RuleStanding same = c.look();
            a.takeOver(base);
            b.takeOver(base);
            SluiceException fenced =
                    assertThrows(SluiceException.class, () -> addTo(a, base, flow(1, 1)));
            assertTrue(fenced.getMessage().contains("the base is stale"), fenced.getMessage());
            addTo(b, base, flow(1, 2));
            SluiceException stale = assertThrows(SluiceException.class, () -> c.takeOver(same));
            assertTrue(stale.getMessage().contains("published version 1"), stale.getMessage());
            // Who was told too late disturbs nobody.
            RuleContent content = new RuleContent(open(topic).standing().rules().rules());
            RuleEdits edits = new RuleEdits(content);
            edits.apply(new RuleEdit.Add(RuleText.parse(flow(1, 3)), RuleEdit.Position.LAST));
            b.publish(List.of(RuleDraft.delta("s", "drop", null, edits.take())), content::rules);
        }
        assertEquals(List.of(flow(1, 2), flow(1, 3)), texts(topic));
    }

    private static void addTo(RulePublisher publisher, RuleStanding base, String text) {
        RuleContent content =
                new RuleContent(base.rules() == null ? List.of() : base.rules().rules());
        RuleEdits edits = new RuleEdits(content);
        edits.apply(new RuleEdit.Add(RuleText.parse(text), RuleEdit.Position.LAST));
        publisher.publish(
                List.of(RuleDraft.delta("s", "drop", null, edits.take())), content::rules);
    }

    /** Publishers at once, of all kinds: what was reported as published is what the topic holds. */
    @Test
    void nothingIsLostAndNothingInventedWhenManyPublishAtOnce() throws Exception {
        String topic = "many";
        done(topic, "publish", "--rules", file("many.ovs", flow(1, 1)));
        int threads = 4;
        CyclicBarrier together = new CyclicBarrier(threads);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        Queue<String> others = new ConcurrentLinkedQueue<>();
        List<Callable<Set<String>>> tasks = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            tasks.add(
                    () -> {
                        Set<String> published = new HashSet<>();
                        for (int i = 0; i < 4; i++) {
                            String rule = flow(1, 1000 * (thread + 1) + i);
                            together.await(60, TimeUnit.SECONDS);
                            Sluice run = run(topic, "add", rule);
                            if (run.status() == 0) {
                                published.add(rule);
                            } else if (!run.err().contains("the base is stale")) {
                                others.add(run.err());
                            }
                        }
                        return published;
                    });
        }
        Set<String> published = new TreeSet<>(Set.of(flow(1, 1)));
        for (Future<Set<String>> future : pool.invokeAll(tasks)) {
            published.addAll(future.get());
        }
        pool.shutdown();
        assertEquals(List.of(), List.copyOf(others), "who loses is told that the base is stale");
        assertTrue(published.size() > 4, "somebody wins each round: " + published);
        assertEquals(published, new TreeSet<>(texts(topic)));
        assertEquals(published.size(), log(topic).size());
    }

    @Test
    void changesAreFollowedAndGarbageIsNamedByItsLine() throws Exception {
        String topic = "follow";
        Sluice run =
                follow(
                        topic,
                        String.join(
                                "\n",
                                "{\"add\": \"" + flow(1, 1) + "\"}",
                                "{\"add\": \"" + flow(1, 2) + "\"}",
                                "garbage",
                                "{\"remove\": 77}",
                                "",
                                "{\"add\": \"" + flow(1, 3) + "\", \"first\": true}",
                                "{\"change\": \""
                                        + flow(1, 2)
                                        + "\", \"to\": \""
                                        + flow(1, 9)
                                        + "\"}",
                                "{\"remove\": \"" + flow(1, 1) + "\"}"));
        assertEquals(1, run.status());
        assertTrue(run.err().contains("line 3: not JSON"), run.err());
        assertTrue(run.err().contains("line 4: no rule has the id or the line 77"), run.err());
        assertTrue(run.err().contains("5 changes published, up to version 1; 2 lines"), run.err());
        assertEquals(List.of(flow(1, 3), flow(1, 9)), texts(topic));

        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 5_500; i++) {
            many.append("{\"add\": \"").append(flow(2, i)).append("\"}\n");
        }
        Sluice stream = follow(topic, many.toString());
        assertEquals(0, stream.status(), stream.err());
        List<JsonNode> log = log(topic);
        for (JsonNode entry : log) {
            assertTrue(entry.get("puts").asInt() <= 1_000, entry.toString());
        }
        assertTrue(log.size() >= 7, log.size() + " transactions");
        assertEquals(5_502, texts(topic).size());
        JsonNode last = JSON.readTree(stream.out().lines().reduce((a, b) -> b).orElseThrow());
        assertEquals(5_500, last.get("line").asInt());
        assertEquals(log.get(log.size() - 1).get("version").asInt(), last.get("version").asInt());
    }

    @Test
    void aFollowerIsToldWhenAnotherPublisherTakesOver() throws Exception {
        String topic = "fenced";
        done(topic, "publish", "--rules", file("fenced.ovs", flow(1, 1)));
        try (RulePublisher follower = publisher(topic)) {
            RuleStanding base = follower.takeOver();
            done(topic, "add", flow(1, 2));
            RuleDelta delta =
                    new RuleDelta(base.rules().rules().stream().map(Rule::id).toList(), List.of());
            SluiceException told =
                    assertThrows(
                            SluiceException.class,
                            () ->
                                    follower.publish(
                                            List.of(RuleDraft.delta("s", "drop", null, delta)),
                                            List::of));
            assertTrue(told.getMessage().contains("the base is stale"), told.getMessage());
        }
        assertEquals(List.of(flow(1, 1), flow(1, 2)), texts(topic));
    }

    @Test
    void aFollowerThatIsFencedSaysWhichLinesToSendAgain() throws Exception {
        String topic = "cut";
        done(topic, "publish", "--rules", file("cut.ovs", flow(1, 1)));
        assertEquals("no line is published: send them again", fenced(topic, List.of(), flow(1, 2)));
        assertEquals(
                "the lines up to 2 are published: send the rest again",
                fenced(topic, List.of(flow(1, 3), flow(1, 4)), flow(1, 5)));
        assertEquals(List.of(flow(1, 3), flow(1, 4), flow(1, 1)), texts(topic));
    }

    /**
     * A follower's words about its lines when another publisher takes over between the first ones
     * and the last.
     */
    private static String fenced(String topic, List<String> before, String after) throws Exception {
        StringWriter out = new StringWriter();
        try (RulePublisher publisher = publisher(topic);
                PipedWriter lines = new PipedWriter();
                BufferedReader in = new BufferedReader(new PipedReader(lines, 1 << 16))) {
            RuleStanding base = publisher.takeOver();
            EditFollower follower =
                    new EditFollower(
                            publisher,
                            base.version(),
                            new RuleContent(base.rules().rules()),
                            "s",
                            "drop",
                            rule -> {},
                            new PrintWriter(out, true),
                            new PrintWriter(new StringWriter()));
            ExecutorService thread = Executors.newSingleThreadExecutor();
            try {
                Future<EditFollower.Result> run =
                        thread.submit(() -> follower.run(in, SwitchPorts.NONE, Duration.ZERO));
                for (String rule : before) {
                    lines.write("{\"add\": \"" + rule + "\"}\n");
                }
                lines.flush();
                while (!before.isEmpty() && !out.toString().contains("\"line\":" + before.size())) {
                    assertFalse(run.isDone(), "the follower ended");
                    Await.pause();
                }
                done(topic, "remove", idOf(topic, flow(1, 1)));
                done(topic, "add", flow(1, 1));
                lines.write("{\"add\": \"" + after + "\"}\n");
                lines.close();
                ExecutionException told = assertThrows(ExecutionException.class, run::get);
                String message = told.getCause().getMessage();
                assertTrue(message.contains("the base is stale"), message);
                return message.substring(message.lastIndexOf("; ") + 2);
            } finally {
                thread.shutdownNow();
            }
        }
    }
}
