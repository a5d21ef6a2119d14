package dev.sluice.job.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.driver.FaultInjector;

/**
 * Loss of one device of this process in mid-run. A launch fails, and the device opens again only
 * after some failed tries. Used by the bench's thread alone.
 */
final class DeviceLoss {
    /** The driver's codes of a failed launch and of a device that does not open. */
    private static final int LAUNCH_FAILED = 719;

    private static final int UNKNOWN = 999;

    private final FaultInjector driver;
    private final int tries;
    private boolean begun;

    private DeviceLoss(FaultInjector driver, int tries) {
        this.driver = driver;
        this.tries = tries;
    }

    /**
     * Puts itself between the process and its devices, before the first is opened.
     *
     * @param tries of opening the device again that fail
     * @throws dev.sluice.engine.gpu.driver.GpuException if there is no driver
     */
    static DeviceLoss of(GpuPool pool, int tries) {
        FaultInjector driver = new FaultInjector(pool.driver());
        pool.driver(() -> driver);
        return new DeviceLoss(driver, tries);
    }

    /** Loses the device once a third of the headers is judged. */
    void at(long judged, long headers) {
        if (!begun && judged >= headers / 3) {
            begun = true;
            driver.fail(FaultInjector.Point.OPEN, tries, UNKNOWN);
            driver.fail(FaultInjector.Point.LAUNCH, 1, LAUNCH_FAILED);
        }
    }

    /** Adds the failures that came to pass. */
    void describe(ObjectNode node) {
        node.put("failedLaunches", driver.failed(FaultInjector.Point.LAUNCH));
        node.put("failedOpenings", driver.failed(FaultInjector.Point.OPEN));
    }
}
