package dev.sluice.job.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.externalresource.ExternalResourceDriverFactory;
import org.apache.flink.api.common.externalresource.ExternalResourceInfo;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TaskManagers of one host share its devices out. */
class GpuResourceDriverTest {
    @TempDir Path locks;

    private static Set<String> indexes(Set<? extends ExternalResourceInfo> infos) {
        Set<String> indexes = new TreeSet<>();
        infos.forEach(info -> indexes.add(info.getProperty("index").orElseThrow()));
        return indexes;
    }

    @Test
    void nobodyGetsWhatAnotherHas() throws Exception {
        GpuResourceDriver first = new GpuResourceDriver(List.of(0, 1, 2), locks);
        GpuResourceDriver second = new GpuResourceDriver(List.of(0, 1, 2), locks);
        assertEquals(Set.of("0", "1"), indexes(first.retrieveResourceInfo(2)));
        IOException none = assertThrows(IOException.class, () -> second.retrieveResourceInfo(2));
        assertTrue(String.valueOf(none.getMessage()).contains("external-resource.gpu.amount"));
        assertEquals(Set.of("2"), indexes(second.retrieveResourceInfo(1)));
        first.close();
        GpuResourceDriver third = new GpuResourceDriver(List.of(0, 1, 2), locks);
        assertEquals(Set.of("0"), indexes(third.retrieveResourceInfo(1)));
        second.close();
        third.close();
    }

    @Test
    void aProcessThatIsKilledLeavesItsDevice() throws Exception {
        Process other =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Holder.class.getName(),
                                locks.toString())
                        .start();
        try {
            assertEquals('h', other.getInputStream().read(), "the other process holds device 0");
            GpuResourceDriver mine = new GpuResourceDriver(List.of(0), locks);
            assertThrows(IOException.class, () -> mine.retrieveResourceInfo(1));
            other.destroyForcibly();
            assertTrue(other.waitFor(20, TimeUnit.SECONDS));
            assertEquals(Set.of("0"), indexes(mine.retrieveResourceInfo(1)));
            mine.close();
        } finally {
            other.destroyForcibly();
        }
    }

    /** Another TaskManager. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws Exception {
            new GpuResourceDriver(List.of(0), Path.of(args[0])).retrieveResourceInfo(1);
            System.out.print("h");
            System.out.flush();
            System.in.read(); // until it is killed, or the test has gone
        }
    }

    @Test
    void flinkFindsTheFactoryAndItsOptions() throws Exception {
        ExternalResourceDriverFactory factory =
                ServiceLoader.load(ExternalResourceDriverFactory.class).stream()
                        .map(ServiceLoader.Provider::get)
                        .filter(f -> f instanceof GpuResourceFactory)
                        .findFirst()
                        .orElseThrow();
        Configuration config = new Configuration();
        config.setString("devices", "3,5");
        config.setString("locks", locks.toString());
        GpuResourceDriver driver =
                assertInstanceOf(
                        GpuResourceDriver.class, factory.createExternalResourceDriver(config));
        assertEquals(Set.of("3", "5"), indexes(driver.retrieveResourceInfo(2)));
        driver.close();
    }
}
