"""What modules of compiled code have in common."""

from __future__ import annotations

from .._core import cuda as _cuda

__all__ = ["CudaModule"]


class CudaModule:
    """A loaded module, `module`, with the functions that look into it. pycuda.compiler's class of that name.

    Examples
    --------
    >>> isinstance(mod, cuda.compiler.CudaModule)
    True
    >>> mod.module.get_function("doublify")
    <devarray.cuda.Function doublify>
    """

    module: _cuda.Module

    def get_function(self, name: str) -> _cuda.Function:
        """Return a kernel of the module.

        Parameters
        ----------
        name : str
            As the compiler wrote it.

        Returns
        -------
        Function
            It keeps the module alive.

        Raises
        ------
        LogicError
            If there is no such kernel.

        Notes
        -----
        Calls ``cuModuleGetFunction``.

        Examples
        --------
        >>> mod.get_function("doublify")
        <devarray.cuda.Function doublify>
        """
        return self.module.get_function(name)

    def get_global(self, name: str) -> tuple[int, int]:
        """Return where a variable of the module is.

        Parameters
        ----------
        name : str
            Of a ``__device__`` or ``__constant__`` variable.

        Returns
        -------
        tuple of int
            (address, bytes).

        Raises
        ------
        LogicError
            If there is no such variable.

        Notes
        -----
        Calls ``cuModuleGetGlobal``.

        Examples
        --------
        >>> try:
        ...     mod.get_global("nothing")
        ... except cuda.LogicError:
        ...     print("it has no such variable")
        it has no such variable
        """
        return self.module.get_global(name)

    def get_texref(self, name: str) -> _cuda.TextureReference:
        """Return a texture reference. NVRTC compiles none since CUDA 12: use `TextureObject`.

        Parameters
        ----------
        name : str
            Of the reference.

        Returns
        -------
        TextureReference
            It keeps the module alive.

        Raises
        ------
        LogicError
            If there is no such reference.

        Notes
        -----
        Calls ``cuModuleGetTexRef``.

        Examples
        --------
        >>> try:
        ...     mod.get_texref("nothing")
        ... except cuda.Error:
        ...     print("it has no such texture")
        it has no such texture
        """
        return self.module.get_texref(name)

    def get_surfref(self, name: str) -> _cuda.SurfaceReference:
        """Return a surface reference. NVRTC compiles none since CUDA 12: use `SurfaceObject`.

        Parameters
        ----------
        name : str
            Of the reference.

        Returns
        -------
        SurfaceReference
            It keeps the module alive.

        Raises
        ------
        LogicError
            If there is no such reference.

        Notes
        -----
        Calls ``cuModuleGetSurfRef``.

        Examples
        --------
        >>> try:
        ...     mod.get_surfref("nothing")
        ... except cuda.Error:
        ...     print("it has no such surface")
        it has no such surface
        """
        return self.module.get_surfref(name)
