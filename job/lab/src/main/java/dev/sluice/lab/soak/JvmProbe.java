package dev.sluice.lab.soak;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.UnixOperatingSystemMXBean;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Asks a Java process of the same user what it takes. */
final class JvmProbe implements AutoCloseable {
    /** Bytes of objects that are left after a full collection. */
    static final String HEAP = "heapBytes";

    /** Bytes of buffers outside the heap. */
    static final String DIRECT = "directBytes";

    static final String THREADS = "threads";

    /** Open files, sockets among them. */
    static final String DESCRIPTORS = "descriptors";

    private static final String ATTACH = "jdk.attach";

    private final JMXConnector connector;
    private final MemoryMXBean memory;
    private final BufferPoolMXBean direct;
    private final ThreadMXBean threads;
    private final UnixOperatingSystemMXBean system;

    private JvmProbe(JMXConnector connector) throws IOException {
        this.connector = connector;
        MBeanServerConnection beans = connector.getMBeanServerConnection();
        memory = ManagementFactory.getPlatformMXBean(beans, MemoryMXBean.class);
        threads = ManagementFactory.getPlatformMXBean(beans, ThreadMXBean.class);
        system = ManagementFactory.getPlatformMXBean(beans, UnixOperatingSystemMXBean.class);
        direct =
                ManagementFactory.getPlatformMXBeans(beans, BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .findFirst()
                        .orElseThrow();
    }

    /** Tells whether this Java can ask others; one without {@code jdk.attach} cannot. */
    static boolean isPossible() {
        return ModuleLayer.boot().findModule(ATTACH).isPresent();
    }

    /** A probe of a process, by its id. */
    @SuppressWarnings("BanJNDI") // the address is that of a process of this user on this machine
    static JvmProbe of(long pid) {
        try {
            VirtualMachine machine = VirtualMachine.attach(String.valueOf(pid));
            try {
                return new JvmProbe(
                        JMXConnectorFactory.connect(
                                new JMXServiceURL(machine.startLocalManagementAgent())));
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException | IOException e) {
            throw unreachable(pid, e);
        }
    }

    private static SluiceException unreachable(long pid, Exception e) {
        return new SluiceException(
                "process %d does not tell what it takes: %s; see its log"
                        .formatted(pid, e.getMessage()),
                e);
    }

    /** Adds what the process takes, behind a full collection, to sums. */
    void addTo(ObjectNode sums) {
        memory.gc();
        add(sums, HEAP, memory.getHeapMemoryUsage().getUsed());
        add(sums, DIRECT, direct.getMemoryUsed());
        add(sums, THREADS, threads.getThreadCount());
        add(sums, DESCRIPTORS, system.getOpenFileDescriptorCount());
    }

    private static void add(ObjectNode sums, String name, long value) {
        sums.put(name, sums.path(name).asLong() + value);
    }

    @Override
    public void close() {
        try {
            connector.close();
        } catch (IOException e) {
            throw new SluiceException("a probe does not end: " + e.getMessage(), e);
        }
    }
}
