package dev.sluice.job.flink;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.runtime.rpc.RpcSystemLoader;
import org.apache.flink.runtime.rpc.pekko.PekkoRpcSystemLoader;

/**
 * Flink's own RPC system, loaded once in a process. Without it each job of the tests unpacks its
 * jar and loads thousands of classes anew, whose code is compiled anew, too.
 *
 * <p>Flink finds this loader by its service file, and asks it first.
 */
public final class KeptRpcSystem implements RpcSystemLoader {
    @Override
    public int getLoadPriority() {
        return Integer.MIN_VALUE;
    }

    @Override
    public RpcSystem loadRpcSystem(Configuration config) {
        return Kept.SYSTEM;
    }

    private static final class Kept {
        private static final RpcSystem LOADED =
                new PekkoRpcSystemLoader().loadRpcSystem(new Configuration());

        private static final RpcSystem SYSTEM =
                (RpcSystem)
                        Proxy.newProxyInstance(
                                KeptRpcSystem.class.getClassLoader(),
                                new Class<?>[] {RpcSystem.class},
                                (proxy, method, arguments) -> call(method, arguments));

        static {
            // Its end deletes the jar that was unpacked.
            Runtime.getRuntime().addShutdownHook(new Thread(LOADED::close));
        }

        /** Calls the system, but for its end: the next job needs it. */
        private static Object call(Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("close")) {
                return null;
            }
            try {
                return method.invoke(LOADED, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }
}
