package dev.sluice.lab.hostile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every reader of bytes of strangers takes good inputs, and answers, or names the defect, on
 * damaged ones, on those that once made it fail, and on a fixed number of random ones. {@link
 * FuzzedReadersTest} searches on, guided by coverage.
 */
@Timeout(120)
class HostileInputTest {
    private static final int INPUTS = Integer.getInteger("sluice.test.hostile", 2_000);

    @ParameterizedTest
    @EnumSource
    void goodInputsAreTaken(HostileTarget target) throws Exception {
        List<byte[]> seeds = HostileSeeds.good(target);
        for (int i = 0; i < seeds.size(); i++) {
            assertTrue(read(target, seeds.get(i), "good " + i), "it refuses good input " + i);
        }
    }

    @ParameterizedTest
    @EnumSource
    void allSeedsAndInputsThatOnceMadeItFailAreReadOrRefused(HostileTarget target)
            throws Exception {
        List<byte[]> seeds = HostileSeeds.of(target);
        for (int i = 0; i < seeds.size(); i++) {
            read(target, seeds.get(i), "seed " + i);
        }
        for (Path file : target.kept()) {
            read(target, Files.readAllBytes(file), file.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void randomChangesOfGoodInputsAreReadOrRefused(HostileTarget target) throws Exception {
        InputMutator inputs =
                new InputMutator(HostileSeeds.of(target), TestSeed.random(4100 + target.ordinal()));
        for (int i = 0; i < INPUTS; i++) {
            read(target, inputs.next(), "input " + i);
        }
    }

    private static boolean read(HostileTarget target, byte[] input, String name)
            throws IOException {
        try {
            return target.read(input);
        } catch (Exception | StackOverflowError | OutOfMemoryError | AssertionError e) {
            Path kept =
                    Path.of(System.getProperty("sluice.test.failures", "target/failures"))
                            .resolve("hostile-" + target.label() + ".bin")
                            .toAbsolutePath();
            Files.createDirectories(kept.getParent());
            Files.write(kept, input);
            throw new AssertionError(
                    "%s makes %s fail; kept in %s, copy it to %s"
                            .formatted(name, target.label(), kept, target.keptFolder()),
                    e);
        }
    }
}
