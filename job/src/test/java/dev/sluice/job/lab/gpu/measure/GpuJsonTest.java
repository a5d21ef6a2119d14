package dev.sluice.job.lab.gpu.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.job.lab.generate.RuleShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the {@code gpu} commands print as JSON, on a device on the heap. */
@Timeout(180)
class GpuJsonTest {
    private static final long MILLI = 1_000_000;

    @TempDir private Path folder;
    private final FakeDriver fake = new FakeDriver(1);

    @BeforeEach
    void aDeviceOnTheHeap() {
        FakeDriver.install(fake);
    }

    @AfterEach
    void theProcessHasItsOwnDriverAgain() {
        FakeDriver.uninstall();
        fake.awaitNothingHeld();
    }

    private static void assertTold(String command, Sluice run) throws IOException {
        assertEquals(0, run.status(), run.err());
        JsonPage.assertTells(command, run.out());
    }

    @Test
    void thePageTellsOfDevicesAndOfKernels() throws IOException {
        assertTold("gpu info", Sluice.run("gpu", "info", "--json"));
        assertTold(
                "gpu bench",
                Sluice.run(
                        "gpu",
                        "bench",
                        "--shape",
                        "acl",
                        "--count",
                        100,
                        "--algorithm",
                        "merged-tuple",
                        "--headers",
                        64,
                        "--runs",
                        1,
                        "--json"));
    }

    @Test
    void thePageTellsOfBatchesFromTheHost() throws IOException {
        Path rules =
                Files.writeString(
                        folder.resolve("rules"),
                        "@10.0.0.0/8 0.0.0.0/0 0 : 65535 80 : 80 0x06/0xff\n");
        Path trace = Files.writeString(folder.resolve("trace"), "167772161\t5\t6\t80\t6\n");
        assertTold(
                "gpu host",
                Sluice.run(
                        "gpu",
                        "host",
                        "--rules",
                        rules,
                        "--trace",
                        trace,
                        "--algorithm",
                        "merged-tuple",
                        "--headers",
                        64,
                        "--hand-over",
                        "asynchronous,mapped",
                        "--json"));
    }

    @Test
    void thePageTellsOfRulesThatChangeAtTheDoor() throws Exception {
        EngineOptions options =
                EngineOptions.DEFAULTS
                        .withAlgorithm(AlgorithmChoice.parse("merged-tuple"))
                        .withGpu(new GpuPool.Selection(false, List.of(0)));
        DoorBench.Spans spans = new DoorBench.Spans(10 * MILLI, 40 * MILLI, 10 * MILLI);
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        try (DoorBench bench = new DoorBench(options, RuleShape.ACL, 1000, 1, spans)) {
            node.put("shape", "acl").put("asked", "merged-tuple");
            bench.measure(node);
        }
        JsonPage.assertTells("gpu updates", node.toString());
        assertEquals(0, node.get("wrong").asInt(-1));
    }

    @Test
    void thePageTellsOfRulesThatChangeInPlace() throws Exception {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("shape", "acl").put("algorithm", "tuple").put("ruleByRule", false);
        try (GpuDevice on = new GpuDevice(fake, 0, InPlaceBench.SLOTS, 65_536, 19);
                InPlaceBench bench =
                        new InPlaceBench(
                                on, Algorithm.of("tuple"), RuleShape.ACL, 200, 20, 50 * MILLI)) {
            bench.measure(node);
        }
        JsonPage.assertTells("gpu updates --in-place", node.toString());
        assertEquals(0, node.get("wrong").asInt(-1));
    }
}
