package dev.sluice.job.cli;

import dev.sluice.job.TestBroker;
import dev.sluice.job.cli.GuideCommands.Block;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Commands of the guide that need a broker, or a cluster too. */
class GuideITCase {
    @RegisterExtension static final TestBroker BROKER = new TestBroker();

    @TempDir Path folder;

    static List<Block> withBroker() throws IOException {
        return GuideCommands.blocks("sh run broker");
    }

    static List<Block> withCluster() throws IOException {
        return GuideCommands.blocks("sh run cluster");
    }

    @ParameterizedTest
    @MethodSource("withBroker")
    void aBlockWithABrokerRuns(Block block) throws IOException {
        GuideCommands.run(block, folder, BROKER.bootstrap());
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("withCluster")
    void aBlockWithAClusterRuns(Block block) throws IOException {
        GuideCommands.run(block, folder, BROKER.bootstrap());
    }
}
