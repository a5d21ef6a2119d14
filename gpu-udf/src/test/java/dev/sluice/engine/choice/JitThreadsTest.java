package dev.sluice.engine.choice;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class JitThreadsTest {
    @Test
    void aCompilerThreadIsAtWorkWhileItRunsOrWould() {
        assertTrue(JitThreads.isAtWork("71 (C2 CompilerThre) R 1 9"));
        assertTrue(JitThreads.isAtWork("72 (C1 CompilerThre) R 1 9"));
        assertFalse(JitThreads.isAtWork("71 (C2 CompilerThre) S 1 9"));
        assertFalse(JitThreads.isAtWork("73 (worker-1) R 1 9"));
        assertFalse(JitThreads.isAtWork(""));
    }

    @Test
    void whoMayNotWaitDoesNot() {
        assertTrue(JitThreads.rest(0) <= 1);
    }

    /** A JVM that names them otherwise would never be waited for, without a word. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void thisJvmNamesThemAsExpected() {
        assertTrue(
                Arrays.stream(JitThreads.tasks())
                        .map(JitThreads::stat)
                        .anyMatch(stat -> JitThreads.behindName(stat) > 0));
    }
}
