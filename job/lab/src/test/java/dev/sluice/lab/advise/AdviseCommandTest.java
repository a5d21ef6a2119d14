package dev.sluice.lab.advise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.engine.gpu.Crossover;
import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.lab.backend.Classified;
import dev.sluice.lab.bench.EngineBench;
import dev.sluice.lab.kit.Samples;
import dev.sluice.policy.HeaderTrace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code advise} says of a machine without a device, and of one with a device on the heap. */
@Timeout(120)
class AdviseCommandTest {
    private static final Path OFFICE = Path.of("../../test-data/office");
    private static final Path RULES = OFFICE.resolve("office.ovs");
    private static final Path CAPTURE = OFFICE.resolve("office.pcapng.gz");

    private final FakeDriver fake = new FakeDriver(1);

    @AfterEach
    void theProcessHasItsOwnDriverAgain() {
        FakeDriver.uninstall();
        fake.awaitNothingHeld();
    }

    private static Sluice advise(Object... more) {
        List<Object> words = new ArrayList<>(List.of("advise", "--rules", RULES, "--seconds", 1));
        words.addAll(List.of(more));
        return Sluice.run(words.toArray());
    }

    private static JsonNode found(Sluice run) throws IOException {
        assertEquals(0, run.status(), run.err());
        return new ObjectMapper().readTree(run.out());
    }

    @Test
    void withoutADeviceItSaysWhyThereIsNoneAndWhatOneWouldBringAtBest() {
        FakeDriver.install(new FakeDriver(0));
        Sluice run = advise(CAPTURE);
        assertEquals(0, run.status(), run.err());
        for (String part :
                List.of(
                        "1,057 headers of",
                        "device 0 is not there: the driver shows 0",
                        "docs/benchmarks/corridor.md, not measured here",
                        "raises that by",
                        "./sluice run --bootstrap HOST:PORT --parallelism ",
                        " --gpu off")) {
            assertTrue(run.out().contains(part), () -> part + " is not in " + run.out());
        }
        assertTrue(run.err().contains("measuring: 2 steps, done"), run.err());
    }

    @Test
    void withoutACaptureItSaysThatHeadersAreMadeFromTheRules() throws IOException {
        FakeDriver.install(new FakeDriver(0));
        Sluice run = advise("--json", "--packets", 5000);
        JsonPage.assertTells("advise", run.out(), "device.batches");
        JsonNode advice = found(run);
        assertEquals("rules", advice.at("/traffic/source").asText());
        assertEquals(5000, advice.at("/traffic/headers").asInt());
        assertTrue(advise("--packets", 5000).out().contains("since no capture is named"));
    }

    @Test
    void aDeviceIsMeasuredBesideTheCoresAndNamedInWhatToSetOnlyIfItPays() throws IOException {
        FakeDriver.install(fake);
        JsonNode advice = found(advise("--json", CAPTURE));
        JsonNode device = advice.get("device");
        assertEquals("", device.get("absence").asText(), device.toString());
        assertTrue(device.get("mostMpps").asDouble() > 0, device.toString());
        assertTrue(device.get("batches").size() > 1, device.toString());
        assertTrue(fake.started() > 0);
        boolean pays = advice.get("devicePays").asBoolean();
        JsonNode set = advice.get("set");
        assertEquals(pays ? "0" : "off", set.get(set.size() - 1).asText(), set.toString());
        assertTrue(!pays || device.get("fromBatch").asInt() > 0, device.toString());
    }

    @Test
    void aDeviceThatIsLeftOutOrBrokenIsALineAndNoFailure() throws IOException {
        FaultInjector faulty = new FaultInjector(fake);
        faulty.fail(FaultInjector.Point.OPEN, 1, 999);
        FakeDriver.install(faulty);
        JsonNode broken = found(advise("--json", CAPTURE));
        assertTrue(
                broken.at("/device/absence").asText().contains("injected fault 999"),
                broken.toString());
        JsonNode off = found(advise("--json", "--gpu", "off", CAPTURE));
        assertEquals("--gpu off leaves it out", off.at("/device/absence").asText());
    }

    @Test
    void whatIsGivenForTheEngineStandsInWhatToSet() throws IOException {
        FakeDriver.install(new FakeDriver(0));
        JsonNode set = found(advise("--json", "--algorithm", "tuple", CAPTURE)).get("set");
        assertEquals("[\"--algorithm\",\"tuple\",", set.toString().substring(0, 23));
    }

    @Test
    void wrongUseAndWhatIsNotThereAreNamed() {
        assertEquals(2, advise("--seconds", 0).status());
        assertEquals(2, advise("--packets", 0).status());
        assertEquals(2, Sluice.run("advise").status());
        Sluice missing = advise("no.pcap");
        assertEquals(1, missing.status());
        assertTrue(missing.err().contains("no.pcap"), missing.err());
    }

    @Test
    void thePageTellsEveryMemberOfTheJsonAndNoOther() throws IOException {
        FakeDriver.install(fake);
        JsonPage.assertTells("advise", advise("--json", CAPTURE).out());
    }

    @Test
    void theEstimatesFiguresAreThoseOfTheCorridorsPage() throws IOException {
        JsonNode runs =
                new ObjectMapper()
                        .readTree(Path.of("../../docs/benchmarks/corridor.json").toFile());
        JsonNode run = runs.get(JobEstimate.RUN - 1);
        assertEquals(
                1e3 * run.get("steadyCpuMicrosPerHeader").asDouble(),
                JobEstimate.JOB_NANOS,
                0.1 * JobEstimate.JOB_NANOS);
        assertEquals(
                1e3 * run.get("steadyBrokerCpuMicrosPerHeader").asDouble(),
                JobEstimate.BROKER_NANOS,
                0.1 * JobEstimate.BROKER_NANOS);
        assertEquals(run.get("steadyMpps").asDouble(), JobEstimate.MPPS, 0.1 * JobEstimate.MPPS);
        assertEquals(run.get("parallelism").asInt(), JobEstimate.CORES);
    }

    @Test
    void roundsThatDifferAreToldOf() {
        assertFalse(advice(result(30, 28, 31), result(55, 50, 60)).disturbed());
        assertTrue(advice(result(30, 10, 31), result(55, 50, 60)).disturbed());
        assertTrue(advice(result(30, 28, 31), result(20, 19, 21)).disturbed());
    }

    @Test
    void aDeviceThatPaysIsNamedWithBatchSizeAndRateAndOneThatDoesNotIsLeftOut() {
        OffloadMode mode = OffloadMode.PLAIN;
        List<Crossover.Point> points =
                List.of(
                        new Crossover.Point(1024, 100, 120),
                        new Crossover.Point(16_384, 1600, 200));
        List<Crossover.Trial> trials = List.of(new Crossover.Trial(mode, 900));
        DeviceAdvice faster =
                new DeviceAdvice(
                        1,
                        "H",
                        "",
                        "tuple",
                        new Crossover(16_384, mode, points, trials),
                        result(800, 790, 810));
        String slowCores = text(advice(result(10, 10, 10), result(20, 20, 20), 2, faster));
        for (String part :
                List.of(
                        "a GPU pays: with this one a job carries some 14.4 M headers/s, 77 % more",
                        "from 8,192,000 headers/s a subtask on, a batch of 16,384 is full",
                        "--parallelism 2 --gpu 1 --batch-size 16384")) {
            assertTrue(slowCores.contains(part), () -> part + " is not in " + slowCores);
        }
        String fastCores = text(advice(result(100, 100, 100), result(200, 200, 200), 2, faster));
        assertTrue(
                fastCores.contains("a GPU does not pay in a job here: with this one"), fastCores);
        assertTrue(fastCores.contains("--parallelism 2 --gpu off"), fastCores);
        DeviceAdvice slower =
                new DeviceAdvice(
                        1,
                        "H",
                        "",
                        "",
                        new Crossover(Integer.MAX_VALUE, mode, points, trials),
                        null);
        String never = text(advice(result(10, 10, 10), result(20, 20, 20), 2, slower));
        assertTrue(never.contains("does not pay in a job here: one core is faster"), never);
    }

    /** What an H200 beside 16 cores was measured to do for 10,000 rules. */
    @Test
    void aDeviceThatMakesTheMachineSlowerDoesNotPayThoughLookUpsAreAFifthOfAJob() {
        Advice advice = beside(45, 710, 315);
        assertFalse(advice.devicePays());
        String text = text(advice);
        assertTrue(
                text.contains(
                        "does not pay in a job here: cores and device together look up 315.0 M headers/s, the cores alone 710.0"),
                text);
        assertTrue(text.contains("--gpu off"), text);
        JsonNode job = advice.record().get("job");
        assertTrue(
                job.get("mppsWithDevice").asDouble() < job.get("mpps").asDouble(), job.toString());
        assertTrue(
                job.get("mostMppsWithDevice").asDouble() > 1.1 * job.get("mpps").asDouble(),
                job.toString());
    }

    @Test
    void aDevicePaysByWhatAJobCarriesWithItAndNotByWhatLookUpsGain() {
        Advice little = beside(45, 710, 1100);
        assertFalse(little.devicePays());
        assertTrue(text(little).contains("with this one it carries 6 % more; a device that"));
        Advice much = beside(45, 710, 4000);
        assertTrue(much.devicePays());
        assertTrue(text(much).contains("with this one a job carries some 114"), text(much));
        assertTrue(text(much).contains("M headers/s, 15 % more"), text(much));
        assertEquals("[--parallelism, 16, --gpu, 1]", much.settings().toString());
    }

    /** 16 cores, and a device that is faster than one of them from 1,024 headers on. */
    private static Advice beside(double core, double cores, double together) {
        OffloadMode mode = OffloadMode.PLAIN;
        return advice(
                result(core, core, core),
                result(cores, cores, cores),
                16,
                new DeviceAdvice(
                        1,
                        "H",
                        "",
                        "pairs",
                        new Crossover(
                                1024,
                                mode,
                                List.of(new Crossover.Point(1024, 23, 20)),
                                List.of(new Crossover.Trial(mode, 900))),
                        result(together, together, together)));
    }

    private static String text(Advice advice) {
        return advice.record().toString();
    }

    private static Advice advice(EngineBench.Result core, EngineBench.Result all) {
        return advice(core, all, 2, DeviceAdvice.absent(0, "", "none"));
    }

    private static Advice advice(
            EngineBench.Result core, EngineBench.Result all, int cores, DeviceAdvice device) {
        return new Advice(
                RULES,
                26,
                new Traffic(HeaderTrace.of(List.of()), "rules", "", ""),
                "",
                core,
                all,
                cores,
                device,
                List.of());
    }

    private static EngineBench.Result result(double mpps, double least, double most) {
        return new EngineBench.Result(
                Algorithm.all().get(0),
                Samples.of(List.of(least, mpps, most), rate -> rate),
                0,
                0,
                new Classified(1, 0));
    }

    @Test
    void theEstimateIsWhatWasMeasuredThereAtTheLookUpOfThere() {
        JobEstimate there = new JobEstimate(JobEstimate.CORES, JobEstimate.LOOK_UP_NANOS);
        assertEquals(JobEstimate.MPPS, there.mpps(), 1e-9);
        assertTrue(there.gain() > 0 && there.gain() < 0.1);
        JobEstimate slow = new JobEstimate(JobEstimate.CORES, 1000);
        assertTrue(slow.mpps() < there.mpps() / 5);
        assertEquals(there.mostMpps(), slow.mostMpps(), 1e-9);
        assertFalse(slow.gain() < 5);
    }
}
