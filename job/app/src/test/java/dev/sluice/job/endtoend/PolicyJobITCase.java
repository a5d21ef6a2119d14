package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A policy of chains in a job's process that is killed while versions come into force. */
@Timeout(300)
class PolicyJobITCase {
    /** Versions that come into force before the job is killed, and after it. */
    private static final int VERSIONS = 3;

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    /** The policy of each version. */
    private final Map<Long, PolicyFile> published = new HashMap<>();

    private void publish(Topics topics) throws Exception {
        int version = published.size() + 1;
        // A line that moves and another port, a jump that comes and goes, an unknown condition.
        String text =
                """
                # iptables-save
                *filter
                :INPUT DROP [0:0]
                :doors - [0:0]
                :wide - [0:0]
                -A INPUT -p tcp -m tcp --dport %d -m limit --limit 5/sec -j ACCEPT
                -A INPUT -p tcp -m tcp --dport 0:30000 -j doors
                %s
                -A INPUT -p tcp -m tcp --dport %d:59999 -m conntrack --ctstate NEW -j ACCEPT
                -A doors -p tcp -m tcp --dport 100:20000 -j RETURN
                -A doors -p tcp -m tcp ! --dport %d -j ACCEPT
                -A wide -p tcp -m tcp --dport 50000:50999 -j RETURN
                -A wide -p tcp -m tcp ! --dport 44444 -j REJECT
                COMMIT
                """
                        .formatted(
                                100 + version,
                                version % 2 == 0
                                        ? "-A INPUT -p tcp -m tcp --dport 40000:51000 -j wide"
                                        : "# no jump",
                                30_000 + 1000 * version,
                                40 + version);
        Path file = Files.writeString(folder.resolve("host.save"), text);
        Sluice run = topics.run("rules", "publish", "--rules", file + "#INPUT");
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().contains(" as version " + version + ":"), run.out());
        PolicyOptions options = new PolicyOptions("INPUT", Assumptions.NONE, false);
        published.put((long) version, PolicyFile.read(file, options));
    }

    @Test
    void eachPacketHasTheAnswerOfItsVersionThroughAKill() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "policy").create();
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()));
                VerdictJournal verdicts =
                        new VerdictJournal(broker.bootstrap(), topics.names().verdicts())) {
            PacketStream packets = new PacketStream(producer, topics.names().packets());
            publish(topics);
            for (int parallelism : List.of(1, 2)) {
                try (JobProcess job = JobProcess.start(topics, folder, parallelism)) {
                    int wanted = published.size() + VERSIONS;
                    long deadline = JobProcess.deadline();
                    while (published.size() < wanted || job.newestCheckpoint().isEmpty()) {
                        packets.send(20);
                        producer.flush();
                        verdicts.poll();
                        job.requireRunning(deadline);
                        if (verdicts.versionsFrom(0).contains((long) published.size())
                                && published.size() < wanted) {
                            publish(topics);
                        }
                    }
                    packets.send(100);
                    producer.flush();
                    job.kill();
                }
            }
            try (JobProcess job = JobProcess.start(topics, folder, 2)) {
                long deadline = JobProcess.deadline();
                while (verdicts.answered() < packets.sent()) {
                    verdicts.poll();
                    job.requireRunning(deadline);
                }
                job.kill();
            }
            verdicts.pollToEnd();
            assertEquals(packets.sent(), verdicts.answered(), "packets lost");
            assertEquals(0, verdicts.doubled(), "packets answered twice");
            judge(verdicts);
        }
        List<String> shown =
                Sluice.ok(topics.run("rules", "show", "--version", 2, "--format", "tsv"))
                        .out()
                        .lines()
                        .toList();
        assertTrue(shown.stream().anyMatch(line -> line.contains("\tREJECT\t-A wide")), "" + shown);
        assertTrue(shown.stream().noneMatch(line -> line.contains("depends on: ")), "" + shown);
    }

    private void judge(VerdictJournal verdicts) {
        Map<Long, Map<Long, String>> answers = new HashMap<>();
        published.forEach(
                (version, policy) -> {
                    Map<Long, String> ofVersion = new HashMap<>();
                    policy.flat()
                            .rules()
                            .seen()
                            .rules()
                            .forEach(r -> ofVersion.put(r.id(), r.line() + " " + r.action()));
                    answers.put(version, ofVersion);
                });
        Set<String> seen = new TreeSet<>();
        for (VerdictJournal.Entry verdict : verdicts.entries()) {
            PolicyFile policy = published.get(verdict.version());
            assertTrue(policy != null, verdict + " names a version that was not published");
            Answer answer =
                    Objects.requireNonNull(
                            policy.flat().judge(PacketStream.header(verdict.packet())));
            String action =
                    answer.outcome() == Outcome.DEPENDS ? "depends" : answer.rule().action();
            assertEquals(
                    answer.rule().origin().line() + " " + action,
                    answers.get(verdict.version()).get(verdict.ruleId()),
                    verdict.toString());
            assertEquals(answer.outcome().name(), verdict.outcome().name(), verdict.toString());
            assertEquals(answer.rule().origin().line(), verdict.line(), verdict.toString());
            assertEquals("--hook INPUT", verdict.assumed());
            seen.add(action);
        }
        assertTrue(seen.containsAll(Set.of("ACCEPT", "DROP", "REJECT", "depends")), "" + seen);
        assertTrue(verdicts.versionsFrom(0).size() >= 2 * VERSIONS, "few versions judged");
    }
}
