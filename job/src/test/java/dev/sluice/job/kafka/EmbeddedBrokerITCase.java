package dev.sluice.job.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.stream.IntStream;
import javax.management.ObjectName;
import org.apache.kafka.common.utils.AppInfoParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedBrokerITCase {
    @TempDir private Path directory;

    /** One of 64 directories gives such an id. */
    @Test
    void aClusterIdThatLooksLikeAnOptionIsTaken() {
        Path dashed =
                IntStream.range(0, 10_000)
                        .mapToObj(i -> directory.resolve("b" + i))
                        .filter(each -> EmbeddedBroker.clusterId(each).startsWith("-"))
                        .findFirst()
                        .orElseThrow();
        try (EmbeddedBroker broker =
                EmbeddedBroker.start(dashed, EmbeddedBroker.Address.local(0))) {
            assertTrue(broker.bootstrap().startsWith("localhost:"), broker.bootstrap());
        }
    }

    @Test
    void theBrokerIsNewerThanTheClientsBesideIt() throws Exception {
        try (EmbeddedBroker broker =
                EmbeddedBroker.start(directory.resolve("newer"), EmbeddedBroker.Address.local(0))) {
            assertTrue(broker.bootstrap().startsWith("localhost:"), broker.bootstrap());
            ObjectName itself = new ObjectName("kafka.server:type=app-info,id=1");
            assertEquals(
                    "4.3.1",
                    ManagementFactory.getPlatformMBeanServer().getAttribute(itself, "Version"));
        }
        assertEquals("4.2.0", AppInfoParser.getVersion());
    }
}
