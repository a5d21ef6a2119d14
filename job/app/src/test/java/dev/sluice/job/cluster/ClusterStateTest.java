package dev.sluice.job.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterStateTest {
    @TempDir private Path directory;
    private ClusterFolder folder;

    @BeforeEach
    void make() {
        folder = ClusterFolder.make(directory.resolve("a cluster's"));
    }

    private static Member self() {
        return Member.of("jobmanager", ProcessHandle.current());
    }

    @Test
    void aFolderSaysWhatWasWritten() {
        assertEquals(Optional.empty(), ClusterState.read(folder));
        ClusterState state =
                new ClusterState("localhost", 8081, "a:1,b:2", 3, 2, List.of(), Map.of())
                        .with(self());
        state.write(folder);
        assertEquals(Optional.of(state), ClusterState.read(folder));
        assertEquals(6, state.allSlots());
        assertEquals(List.of(self()), state.members());
        ClusterState.delete(folder);
        assertEquals(Optional.empty(), ClusterState.read(folder));
    }

    @Test
    void aBrokenFileIsNamed() throws IOException {
        Files.writeString(folder.state(), "{\"host\": ");
        SluiceException broken =
                assertThrows(SluiceException.class, () -> ClusterState.read(folder));
        assertTrue(broken.getMessage().startsWith(folder.state() + " is broken: "));
    }

    @Test
    void aFileOfOthersIsSaidToBeNoState() throws IOException {
        for (String text :
                List.of(
                        "",
                        "null",
                        "7",
                        "[]",
                        "{\"a\":1}",
                        "{\"members\": []}",
                        "{\"host\": \"a\", \"bootstrap\": \"b\", \"members\": [{\"pid\": 1}]}")) {
            Files.writeString(folder.state(), text);
            SluiceException none =
                    assertThrows(SluiceException.class, () -> ClusterState.read(folder), text);
            assertEquals(
                    folder.state()
                            + " is no state of a cluster; name another folder, or move the file away if no cluster runs in this one",
                    none.getMessage());
        }
    }

    @Test
    void aProcessThatHasTheIdOfOneThatEndedIsAnother() {
        Member self = self();
        assertTrue(self.runs());
        assertTrue(self.residentBytes().orElseThrow() > 1 << 20);
        Member before = new Member(self.role(), self.pid(), self.startedMillis() - 60_000);
        assertFalse(before.runs());
        // The clock of the machine moves a little; the same process is told a bit otherwise.
        assertTrue(new Member(self.role(), self.pid(), self.startedMillis() + 1_000).runs());
    }

    @Test
    void anotherProcessIsNotEnded() throws InterruptedException {
        Member self = self();
        ClusterEnd.kill(
                List.of(new Member(self.role(), self.pid(), self.startedMillis() - 60_000)));
        assertTrue(self.runs());
    }

    @Test
    void aProcessThatEndedIsGone() throws Exception {
        Process process = new ProcessBuilder("sleep", "60").start();
        try {
            Member member = Member.of("broker", process.toHandle());
            assertTrue(member.runs());
            ClusterEnd.kill(List.of(member));
            assertFalse(member.runs());
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void aProcessThatEndedStaysGoneWhileItsParentAsksForIt() throws Exception {
        for (int i = 0; i < 50; i++) {
            Process process = new ProcessBuilder("sleep", "60").start();
            Member member = Member.of("broker", process.toHandle());
            process.destroyForcibly();
            while (member.runs()) {
                Await.pause();
            }
            for (int again = 0; again < 100; again++) {
                assertFalse(member.runs(), "it has ended, and runs again");
            }
        }
    }

    @Test
    void oneCommandAtATimeStartsOrEnds() throws InterruptedException {
        String done =
                folder.alone(
                        () -> {
                            SluiceException refused =
                                    assertThrows(
                                            SluiceException.class, () -> folder.alone(() -> ""));
                            assertTrue(refused.getMessage().startsWith("another command starts"));
                            return "done";
                        });
        assertEquals("done", done);
        assertEquals("again", folder.alone(() -> "again"));
    }

    @Test
    void temporaryFilesAreEmptied() throws IOException {
        Files.writeString(
                Files.createDirectories(folder.temporary().resolve("a/b")).resolve("c"), "d");
        folder.emptyTemporary();
        assertTrue(Files.isDirectory(folder.temporary()));
        assertFalse(Files.exists(folder.temporary().resolve("a")));
    }

    @Test
    void aProcessThatNoCommandWouldKnowIsStopped() throws Exception {
        Launch launch = new Launch(null, List.of(), List.of(Sleeper.class.getName()));
        ClusterState state =
                new ClusterState(
                        "localhost", 8081, "a:1", 1, 1, List.of(), Map.of("taskmanager-1", launch));
        Files.createDirectory(folder.state()); // which no file replaces
        Files.writeString(folder.state().resolve("full"), "");
        SluiceException refused =
                assertThrows(
                        SluiceException.class, () -> state.startAgain(folder, "taskmanager-1"));
        assertTrue(
                refused.getMessage().startsWith("taskmanager-1 was started and stopped again"),
                refused.getMessage());
        Await.until(() -> ProcessHandle.current().children().noneMatch(Sleeper::is));
    }

    /** A process that does not end. */
    static final class Sleeper {
        public static void main(String[] words) throws InterruptedException {
            Thread.sleep(Long.MAX_VALUE);
        }

        static boolean is(ProcessHandle process) {
            return process.info().commandLine().orElse("").contains(Sleeper.class.getName());
        }
    }
}
