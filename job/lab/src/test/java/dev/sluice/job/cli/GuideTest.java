package dev.sluice.job.cli;

import dev.sluice.job.cli.GuideCommands.Block;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Commands of README and the guide that need neither a broker nor a cluster. */
class GuideTest {
    @TempDir Path folder;

    static List<Block> runs() throws IOException {
        return GuideCommands.blocks("sh run");
    }

    static List<Block> sessions() throws IOException {
        return GuideCommands.blocks("console");
    }

    @ParameterizedTest
    @MethodSource("runs")
    void aBlockRuns(Block block) throws IOException {
        GuideCommands.run(block, folder, "");
    }

    @ParameterizedTest
    @MethodSource("sessions")
    void aSessionPrintsWhatItShows(Block block) {
        GuideCommands.compare(block, folder);
    }
}
