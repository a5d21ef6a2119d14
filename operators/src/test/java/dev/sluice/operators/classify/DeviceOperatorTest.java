package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.operators.rules.serving.GivenTopic;
import dev.sluice.operators.rules.serving.StreamEnds;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.Field;
import java.util.List;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The operator on devices, with a driver that runs on the heap. */
@Timeout(60)
class DeviceOperatorTest {
    private static final int BATCH = 64;

    private final FakeDriver fake = new FakeDriver(2);
    private final FaultInjector driver = new FaultInjector(fake);

    @BeforeEach
    void install() {
        FakeDriver.install(driver);
    }

    @AfterEach
    void uninstall() {
        FakeDriver.uninstall();
    }

    private static ClassifyOptions options(String offload) {
        return new ClassifyOptions(
                EngineOptions.of(Algorithm.of("tuple"))
                        .withBudget(1 << 28)
                        .withGpu(GpuPool.Selection.parse("0,1"))
                        .withOffload(OffloadPreference.parse(offload)),
                BATCH,
                60_000_000,
                3,
                8,
                ClassifyOptions.VerdictFormat.BLOCKS,
                VerdictFields.NONE);
    }

    private static List<byte[]> snapshot(long version, int port) {
        RuleChange begin =
                RuleChange.begin(
                        "t" + version, version, null, RuleChange.Kind.SNAPSHOT, "set", "drop");
        Match match = new Match.Builder().field(Field.DST_PORT, port).build();
        Rule rule = new Rule(version, 5, match, "to " + port, 1);
        return RuleSetMessages.snapshot(begin, List.of(rule));
    }

    private static OperatorHarness open(String offload) throws Exception {
        RuleSource first = GivenTopic.of(snapshot(1, 1));
        return OperatorHarness.create(options(offload), first, null, 1, 0);
    }

    /** Waits for the end of streams and engines, which nobody else waits for. */
    private void awaitHeld(int allocations) throws Exception {
        StreamEnds.await();
        while (fake.held() != allocations) {
            Thread.onSpinWait();
            if (Thread.interrupted()) {
                throw new InterruptedException(fake.held() + " allocations are held");
            }
        }
    }

    /** Each packet once, in order, under the version that was in force when it came. */
    private static void check(OperatorHarness task, int packets, int packetsAVersion)
            throws Exception {
        long next = 1;
        for (VerdictBlock block : task.blocks()) {
            for (int i = 0; i < block.count(); i++) {
                assertEquals(next, block.packets().get(i));
                long version = 1 + (next - 1) / packetsAVersion;
                assertEquals(version, block.version());
                boolean hit = next % 4 == version % 4;
                int index = (int) block.ruleIndexes().get(i);
                assertEquals(hit ? version : 0, index == 0 ? 0 : block.rules()[index - 1]);
                next++;
            }
        }
        assertEquals(packets + 1L, next);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "from=1",
                "asynchronous,copy,from=1",
                "on-demand,mapped,from=1",
                "persistent,mapped,from=1",
                "asynchronous,mapped,gather=4,from=1",
                "asynchronous,copy,streams=1,from=1"
            })
    void batchesFlyAndLandInOrderThroughRuleChangesAndBarriers(String offload) throws Exception {
        try (OperatorHarness task = open(offload)) {
            assertTrue(fake.held() > 0, "the device is open");
            int launches = fake.started();
            long packet = 1;
            for (int version = 1; version <= 8; version++) {
                for (int b = 0; b < 40; b++, packet += 25) {
                    task.processElement1(OperatorHarness.block(0, packet, 25));
                    task.runMails();
                    if (b % 13 == 12) {
                        task.drain(version);
                    }
                }
                for (byte[] message : snapshot(version + 1, (version + 1) % 4)) {
                    task.processElement2(new StreamRecord<>(message));
                }
                task.awaitVersion(version + 1);
            }
            task.drain(99);
            check(task, 8000, 1000);
            assertTrue(fake.started() > launches, "the device took part");
        }
        awaitHeld(0); // the device is given back
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultInjector.Point.class,
            names = {"COPY", "LAUNCH", "AWAIT"})
    void aFailingDeviceCostsNoVerdict(FaultInjector.Point point) throws Exception {
        try (OperatorHarness task = open("asynchronous,copy,from=1")) {
            int launches = fake.started();
            long packet = 1;
            for (int b = 0; b < 200; b++, packet += 25) {
                if (b == 10) {
                    task.drain(1);
                    assertTrue(fake.started() > launches, "the device took part");
                    driver.fail(point, 2, 719);
                }
                task.processElement1(OperatorHarness.block(0, packet, 25));
                task.runMails();
            }
            task.drain(2);
            assertTrue(driver.failed(point) > 0, "no call at " + point + " failed");
            check(task, 5000, Integer.MAX_VALUE);
        }
        awaitHeld(0); // the device is given back
    }

    @Test
    void anInstanceThatIsStoppedLeavesItsMemoryToTheOthers() throws Exception {
        try (OperatorHarness stays = open("asynchronous,copy,from=1")) {
            stays.awaitVersion(1);
            int held = fake.held();
            for (int round = 0; round < 40; round++) { // more often than there are slots
                try (OperatorHarness stopped = open("asynchronous,copy,from=1")) {
                    for (int b = 0; b < 5; b++) {
                        stopped.processElement1(OperatorHarness.block(0, 1 + 25L * b, 25));
                    }
                }
            }
            awaitHeld(held);
            int launches = fake.started();
            for (int b = 0; b < 40; b++) {
                stays.processElement1(OperatorHarness.block(0, 1 + 25L * b, 25));
                stays.runMails();
            }
            stays.drain(1);
            check(stays, 1000, Integer.MAX_VALUE);
            assertTrue(fake.started() > launches, "there are slots left");
        }
        awaitHeld(0);
    }

    @Test
    void twoInstancesUseTwoDevicesAndLeaveThem() throws Exception {
        RuleSource first = GivenTopic.of(snapshot(1, 1));
        try (OperatorHarness a = OperatorHarness.create(options("from=1"), first, null, 2, 0);
                OperatorHarness b = OperatorHarness.create(options("from=1"), first, null, 2, 1)) {
            assertEquals(2, fake.devicesOpen());
            a.drain(1);
            b.drain(1);
        }
        awaitHeld(0);
    }
}
