package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What is said last when a command is interrupted. */
class LastLineTest {
    private static String text(long lines, String... command) {
        CommandLine line = Main.commandLine();
        for (String word : command) {
            line = line.getSubcommands().get(word);
        }
        return LastLine.text(line.getCommandSpec(), () -> lines);
    }

    @Test
    void aCommandThatPrintsLinesSaysHowMany() {
        assertEquals(
                "sluice: interrupted: 1,057 lines were printed, and it had not come to its end",
                text(1_057, "headers"));
        assertEquals(
                "sluice: interrupted: it had not come to its end, and has printed nothing",
                text(0, "rules", "show"));
    }

    /** A stream that remembers what it took. */
    private static final class Taken extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void write(int b) {
            throw new UnsupportedOperationException("lines come as arrays");
        }

        @Override
        public synchronized void write(byte[] from, int offset, int length) {
            bytes.write(from, offset, length);
        }

        synchronized String text() {
            return bytes.toString(StandardCharsets.US_ASCII);
        }
    }

    @Test
    void theLinesThatAreCountedAreOutAndNoneIsHalfWritten() throws Exception {
        Taken taken = new Taken();
        StandardOutput output = new StandardOutput(taken);
        PrintWriter out = Console.writer(output);
        AtomicLong turns = new AtomicLong();
        Thread printing =
                new Thread(
                        () -> {
                            String line = "a line of some fields and of a number: ";
                            StringBuilder text = new StringBuilder();
                            for (long number = 0; ; number++) {
                                text.append(line).append(number).append('\n');
                                if (text.length() > 1 << 16) {
                                    out.append(text);
                                    text.setLength(0);
                                    turns.incrementAndGet();
                                }
                            }
                        });
        printing.setDaemon(true); // it waits for the end of the process
        printing.start();
        Await.until(() -> turns.get() >= 20);
        long counted = output.shut();
        String text = taken.text();
        // It comes to its next write, and waits there.
        Await.until(() -> printing.getState() == Thread.State.WAITING);
        assertEquals(text, taken.text());
        assertTrue(text.endsWith("\n"), text.substring(text.length() - 60));
        assertEquals(text.lines().count(), counted);
    }

    @Test
    void theBeginOfALineComesWhenItIsFlushed() throws IOException {
        Taken taken = new Taken();
        StandardOutput output = new StandardOutput(taken);
        output.write("one\ntw".getBytes(StandardCharsets.US_ASCII));
        assertEquals("one\n", taken.text());
        output.flush();
        assertEquals("one\ntw", taken.text());
        output.write("o\nthr".getBytes(StandardCharsets.US_ASCII));
        output.write("ee".getBytes(StandardCharsets.US_ASCII));
        assertEquals("one\ntwo\n", taken.text());
        output.write("\n".getBytes(StandardCharsets.US_ASCII));
        assertEquals("one\ntwo\nthree\n", taken.text());
        assertEquals(3, output.shut());
    }

    /** Behind a reader that takes nothing the process ends all the same. */
    @Test
    void aWriteThatNobodyTakesDoesNotKeepTheLastLine() throws InterruptedException {
        CountDownLatch writes = new CountDownLatch(1);
        StandardOutput output =
                new StandardOutput(
                        new OutputStream() {
                            @Override
                            public void write(int b) {
                                writes.countDown();
                                while (true) {
                                    LockSupport.park();
                                }
                            }
                        });
        Thread printing = new Thread(() -> Console.writer(output).println("a line"));
        printing.setDaemon(true);
        printing.start();
        writes.await();
        assertEquals(0, output.shut());
    }

    @Test
    void aCommandThatKnowsMoreSaysThat() {
        assertTrue(text(0, "rules", "publish").contains("whole or not at all"));
        assertEquals("sluice: interrupted: nothing was begun", text(3, "replay"));
        assertEquals("sluice: interrupted: nothing was read", text(0, "classify"));
        assertEquals("sluice: interrupted: no job was started here", text(0, "run"));
    }

    @Test
    void everyCommandHasALastLineOrSaysItItself() {
        List<String> silent = new ArrayList<>();
        visit(Main.commandLine(), silent);
        assertEquals(
                List.of("sluice broker", "sluice load", "sluice serve"),
                silent.stream().sorted().toList());
    }

    private static void visit(CommandLine command, List<String> silent) {
        if (LastLine.text(command.getCommandSpec(), () -> 0).isEmpty()) {
            silent.add(command.getCommandSpec().qualifiedName());
        }
        command.getSubcommands().values().forEach(sub -> visit(sub, silent));
    }
}
