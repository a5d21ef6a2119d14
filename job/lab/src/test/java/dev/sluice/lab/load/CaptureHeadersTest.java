package dev.sluice.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.schemas.testing.TestData;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Headers of captures, and how much of these is read. */
class CaptureHeadersTest {
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");

    @Test
    void theShareOfTheCapturesGrowsAsTheyAreRead() {
        List<Path> files = Collections.nCopies(100, CAPTURE);
        ReadShare share = new ReadShare(files);
        List<Double> parts = new ArrayList<>();
        ReadHeaders read =
                new ReadHeaders(
                        new CaptureHeaders(files, ParserOptions.DEFAULTS, share),
                        n -> parts.add(share.part()));
        read.pass((words, frameLength) -> true);
        assertEquals(read.count() >> 16, parts.size());
        assertTrue(parts.size() == 1 && parts.get(0) > 0.3 && parts.get(0) < 0.9, parts::toString);
        assertEquals(1, share.part());
        long first = read.count();
        read.pass((words, frameLength) -> true);
        assertEquals(first, read.count());
        assertEquals(1, parts.size());
    }
}
