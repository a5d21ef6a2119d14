/**
 * The Linux kernel as oracle: a policy loaded for real, real packets, and the kernel's word on
 * each.
 *
 * <p>{@link dev.sluice.policy.kernel.KernelNamespace} is a network namespace with devices named as
 * a policy names them. A {@link dev.sluice.policy.kernel.ProbePacket} arrives at one of them or
 * leaves by one. The {@link dev.sluice.policy.kernel.KernelAnswer} tells whether the packet came
 * through, and the rule that decided in each table that it met, as the kernel traced it.
 *
 * <p>The machine's own firewall is never touched, and no packet leaves a namespace.
 */
@NullMarked
package dev.sluice.policy.kernel;

import org.jspecify.annotations.NullMarked;
