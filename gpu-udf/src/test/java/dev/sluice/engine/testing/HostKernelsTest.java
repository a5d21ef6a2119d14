package dev.sluice.engine.testing;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** Tests of the look-ups on the CPU are skipped where that is said, and never on a build server. */
class HostKernelsTest {
    @Test
    void onABuildServerTheCompilerMustBeThere() {
        assertTrue(HostKernels.isBuildServer("true"));
        assertFalse(HostKernels.isBuildServer("false"));
        assertFalse(HostKernels.isBuildServer(null));
        assertThrows(AssertionFailedError.class, () -> HostKernels.withoutCompiler(true));
        assertThrows(TestAbortedException.class, () -> HostKernels.withoutCompiler(false));
    }
}
