package dev.sluice.job.replay;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.schemas.testing.TestSeed;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LineBytesTest {
    @Test
    void everyNumberIsWrittenAsLongWritesIt() {
        SplittableRandom random = new SplittableRandom(TestSeed.of(1));
        LineBytes line = new LineBytes(1);
        for (long bound = 1; bound > 0 && bound < Long.MAX_VALUE / 10; bound *= 10) {
            for (long near = -1; near <= 1; near++) {
                assertNumber(line, bound + near);
                assertNumber(line, -bound + near);
            }
        }
        for (int number = 0; number < 100_000_000; number += 97) {
            assertNumber(line, number);
        }
        for (int i = 0; i < 100_000; i++) {
            assertNumber(line, random.nextLong() >> random.nextInt(64));
        }
        assertNumber(line, 1_000_000_000_000_000_000L);
        assertNumber(line, Long.MAX_VALUE);
        assertNumber(line, Long.MIN_VALUE);
    }

    private static void assertNumber(LineBytes line, long number) {
        line.clear();
        line.append(number);
        assertEquals(Long.toString(number), line.toString());
    }

    @Test
    void textOfEveryKindIsWrittenAsUtf8InRoomThatGrows() throws Exception {
        LineBytes line = new LineBytes(1);
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            line.append('\t').append("Ü€\uD83D\uDE00 ").append(i).append(LineBytes.utf8("é"));
            expected.append('\t').append("Ü€\uD83D\uDE00 ").append(i).append("é");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        line.writeTo(out);
        assertArrayEquals(expected.toString().getBytes(StandardCharsets.UTF_8), out.toByteArray());
        assertEquals(expected.toString(), line.toString());
    }
}
