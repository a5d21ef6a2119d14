package dev.sluice.job.lab.corridor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import org.junit.jupiter.api.Test;

/** A device is lost once a third of the headers is judged, and comes back after failed tries. */
class DeviceLossTest {
    @Test
    void aDeviceOpensAgainAfterAsManyFailedTries() {
        FakeDriver fake = new FakeDriver(1);
        GpuPool pool = new GpuPool(() -> fake);
        DeviceLoss loss = DeviceLoss.of(pool, 2);
        GpuDriver driver = pool.driver();
        loss.at(32, 99);
        driver.open(0).close();
        loss.at(33, 99);
        assertThrows(GpuException.class, () -> driver.open(0));
        loss.at(66, 99); // it is lost once
        assertThrows(GpuException.class, () -> driver.open(0));
        driver.open(0).close();
        ObjectNode told = JsonNodeFactory.instance.objectNode();
        loss.describe(told);
        assertEquals("{\"failedLaunches\":0,\"failedOpenings\":2}", told.toString());
    }
}
