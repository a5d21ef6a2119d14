package dev.sluice.job.kafka;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.stream.IntStream;
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
}
