package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.launch.Transfer;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The devices of a process, and how batches go there best. */
@Timeout(60)
class GpuPoolTest extends GpuFixture {
    @Test
    void aDeviceWithoutRoomLeavesTheRulesToTheCpu() {
        RuleSet rules = rules(17);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        GpuPool pool = new GpuPool(() -> driver);
        GpuPool.Use use = pool.use(GpuPool.Selection.parse("1"), 0);
        assertNotNull(use);
        driver.fail(FaultInjector.Point.ALLOCATE, 1, 2);
        assertNull(use.classifier(cpu, cpu, cpu.image(), rules, OffloadPreference.AUTO));
        use.close();
        assertEquals(0, fake.open);
    }

    @ParameterizedTest
    @ValueSource(strings = {"persistent", "persistent,from=1", "persistent,streams=16"})
    void aKernelThatStaysReadsMappedMemoryWhereTheTransferIsLeftOpen(String text) {
        OffloadPreference preference = OffloadPreference.parse(text);
        assertEquals(Transfer.MAPPED, preference.orElse(OffloadMode.PLAIN).transfer());
        assertEquals(
                LaunchMode.PERSISTENT, preference.decided().orElse(OffloadMode.PLAIN).launch());
        RuleSet rules = rules(19);
        Classifier cpu = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        GpuPool pool = new GpuPool(() -> driver);
        GpuPool.Use use = pool.use(GpuPool.Selection.parse("0"), 0);
        assertNotNull(use);
        GpuClassifier gpu = use.classifier(cpu, cpu, cpu.image(), rules, preference.decided());
        assertNotNull(gpu);
        assertEquals(Transfer.MAPPED, gpu.offloadMode().transfer());
        gpu.close();
        use.close();
        assertEquals(0, fake.open);
    }

    @Test
    void theOffloadModeIsMeasuredOnceForImagesOfOneSize() {
        GpuPool pool = new GpuPool(() -> driver);
        GpuPool.Use use = pool.use(GpuPool.Selection.parse("0"), 0);
        assertNotNull(use);
        OffloadPreference preference = OffloadPreference.parse("on-demand,copy");
        Classifier cpu = Engine.compile(rules(35), EngineOptions.of(Algorithm.of("tuple")));
        GpuClassifier first = use.classifier(cpu, cpu, cpu.image(), rules(35), preference);
        int launches = fake.launches;
        assertTrue(launches > 0);
        GpuClassifier second = use.classifier(cpu, cpu, cpu.image(), rules(35), preference);
        assertEquals(launches, fake.launches);
        for (GpuClassifier gpu : Arrays.asList(first, second)) {
            if (gpu != null) { // else the CPU was faster at every size: the fake device is slow
                assertEquals(LaunchMode.ON_DEMAND, gpu.offloadMode().launch());
                gpu.close();
            }
        }
        use.close();
        assertEquals(0, fake.open);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "fast",
                "persistent,copy",
                "streams=0x1",
                "streams=17",
                "gather=3",
                "gather=",
                "copy,,mapped"
            })
    void anOffloadModeThatCannotBeIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> OffloadPreference.parse(text));
    }

    @Test
    void instancesAreSpreadOverTheDevicesAndShareThem() {
        GpuPool pool = new GpuPool(() -> driver);
        GpuPool.Selection all = GpuPool.Selection.parse("auto");
        List<GpuPool.Use> uses = new ArrayList<>();
        for (int instance = 0; instance < 4; instance++) {
            GpuPool.Use use = pool.use(all, instance);
            assertNotNull(use);
            assertEquals(instance % 2, use.device().context().number());
            uses.add(use);
        }
        assertEquals(2, fake.open);
        uses.forEach(GpuPool.Use::close);
        uses.forEach(GpuPool.Use::close);
        assertEquals(0, fake.open);
        assertEquals(0, fake.blocks());
        assertNull(pool.use(GpuPool.Selection.parse("off"), 0));
        GpuException missing =
                assertThrows(GpuException.class, () -> pool.use(GpuPool.Selection.parse("7"), 0));
        assertTrue(String.valueOf(missing.getMessage()).contains("device 7"));
        assertThrows(IllegalArgumentException.class, () -> GpuPool.Selection.parse("first"));
    }

    @Test
    void withoutADriverAutoTakesTheCpuAndAnAskedForDeviceSaysWhy() {
        GpuPool pool =
                new GpuPool(
                        () -> {
                            throw new GpuException(0, "no CUDA driver");
                        });
        assertNull(pool.use(GpuPool.Selection.parse("auto"), 0));
        assertThrows(GpuException.class, () -> pool.use(GpuPool.Selection.parse("0"), 0));
    }
}
