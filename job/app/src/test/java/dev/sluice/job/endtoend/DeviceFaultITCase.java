package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.policy.RuleText;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A device that fails under a job at work; its driver runs on the heap. */
@Timeout(120)
class DeviceFaultITCase {
    /** CUDA's code for a failed launch. */
    private static final int LAUNCH_FAILED = 719;

    /** Behind each the device rests, for 1 and for 2 s. */
    private static final int FAULTS = 2;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    private final FakeDriver device = new FakeDriver(1);
    private final FaultInjector driver = new FaultInjector(device);

    @BeforeEach
    void install() {
        FakeDriver.install(driver);
    }

    @AfterEach
    void uninstall() {
        FakeDriver.uninstall();
    }

    private static Rule rule(int priority, int port, int mask) {
        return RuleText.parse(
                        "priority=%d,tcp,tp_dst=%d/%d,actions=output:%d"
                                .formatted(priority, port, mask, priority))
                .withId(100 + priority);
    }

    @Test
    void theJobGoesOnOnTheCpuSaysSoAndTakesTheDeviceAgainWhenItWorks() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "gpu").create();
        List<Rule> lines = List.of(rule(3, 0, 3), rule(2, 1, 1), rule(1, 8, 8));
        long version = topics.publish("set", lines);
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()));
                VerdictJournal verdicts =
                        new VerdictJournal(broker.bootstrap(), topics.names().verdicts());
                Sluice.Running job =
                        new Sluice.Running(
                                topics.line(
                                        "run",
                                        "--gpu",
                                        "0",
                                        "--hand-over",
                                        "asynchronous,copy,from=1",
                                        "--algorithm",
                                        "tuple",
                                        "--checkpoint-interval",
                                        200,
                                        "--parallelism",
                                        1,
                                        "--transactional-id-prefix",
                                        "gpu",
                                        "--status-every",
                                        "1s"))) {
            PacketStream packets = new PacketStream(producer, topics.names().packets());
            Traffic traffic = new Traffic(packets, producer, verdicts, job);
            traffic.until(() -> verdicts.answered() > 0);
            int atWork = device.started();
            traffic.until(() -> device.started() > atWork);

            driver.fail(FaultInjector.Point.LAUNCH, FAULTS, LAUNCH_FAILED);
            traffic.until(() -> driver.failed(FaultInjector.Point.LAUNCH) == FAULTS);
            traffic.until(() -> job.err().contains("| CPU, a GPU failed"));
            int before = device.started();
            traffic.until(() -> device.started() > before);

            job.await(() -> traffic.take() == packets.sent());
            assertEquals(0, verdicts.doubled());
            assertFalse(job.err().contains("the job has failed"), job.err());
            assertRight(verdicts, RuleSet.of("set", version, "drop", lines));
        }
    }

    /** What goes through a job. */
    private record Traffic(
            PacketStream packets,
            MessageProducer producer,
            VerdictJournal verdicts,
            Sluice.Running job) {
        /** Sends until something is so. */
        void until(BooleanSupplier reached) {
            job.await(
                    () -> {
                        packets.send(1);
                        producer.flush();
                        take();
                        return reached.getAsBoolean();
                    });
        }

        /** Takes what was committed since; returns the number of packets with a verdict. */
        int take() throws MalformedMessageException {
            verdicts.poll();
            return verdicts.answered();
        }
    }

    private static void assertRight(VerdictJournal verdicts, RuleSet rules) {
        for (VerdictJournal.Entry verdict : verdicts.entries()) {
            Long expected = FirstMatch.ruleId(rules, PacketStream.header(verdict.packet()));
            assertEquals(expected, verdict.ruleId(), verdict.toString());
        }
    }
}
