package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Standard output that fails, or that nobody reads any more. */
class LostOutputTest {
    /** Runs a command whose output fails after some bytes, with a reason. */
    private static Sluice runInto(String reason, long[] written, Object... words) {
        StringWriter err = new StringWriter();
        OutputStream out =
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException(reason);
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) throws IOException {
                        written[0] += length;
                        throw new IOException(reason);
                    }
                };
        String[] line = Arrays.stream(words).map(Object::toString).toArray(String[]::new);
        int status = Main.run(line, new StandardOutput(out), new PrintWriter(err));
        return new Sluice(status, "", err.toString());
    }

    @Test
    void outputThatIsLostIsAFailure() {
        long[] written = {0};
        Path capture = TestData.office("office.pcapng.gz");
        Sluice full = runInto("No space left on device", written, "headers", capture);
        assertEquals(1, full.status());
        assertTrue(
                full.err()
                        .contains(
                                "sluice: standard output cannot be written: No space left on device"),
                full.err());
        assertEquals(1, runInto("No space left on device", written, "schemas").status());
    }

    @Test
    void nothingMoreIsReadWhenNobodyReadsTheOutput() {
        long[] written = {0};
        Object[] line = new Object[41];
        Arrays.fill(line, TestData.office("office.pcapng.gz"));
        line[0] = "headers";
        Sluice left = runInto("Broken pipe", written, line);
        assertEquals(0, left.status(), left.err());
        assertTrue(left.err().lines().count() < 20, left.err());
        assertTrue(written[0] <= 1 << 16, written[0] + " bytes");
    }
}
